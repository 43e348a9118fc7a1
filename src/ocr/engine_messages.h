// SPDX-License-Identifier: Apache-2.0
// Between this program and its recognising process, over a socket: an order with an open file, and an answer, each a line
// of JSON. The process sends one answer before its first order, with its engine's name or the reason why it can't start.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "ocr/answer.h"
#include "ocr/child.h"
#include "ocr/descriptor.h"

namespace ocr {

struct Order {
  std::int32_t format = 0;  // Format
  std::int32_t page = 1;
  std::optional<std::int32_t> dpi;  // if the image does not have it
};
BOOST_DESCRIBE_STRUCT(Order, (), (format, page, dpi))

struct EngineAnswer {
  std::optional<std::string> engine;
  std::optional<Page> page;
  std::int32_t pages = 0;  // in the file
  std::optional<Failure> error;
};
BOOST_DESCRIBE_STRUCT(EngineAnswer, (), (engine, page, pages, error))

// The process that reads hostile files may be in their hands: what it sends is bounded and parsed.
inline constexpr std::size_t kMaxAnswerBytes = 64 << 20;

// False if the other side is gone.
bool send_order(int socket, const Order& order, int file);
bool send_answer(int socket, const EngineAnswer& answer);

struct ReceivedOrder {
  Order order;
  Descriptor file;
};
std::optional<ReceivedOrder> receive_order(int socket);  // none: the other side is gone

enum class NoAnswer : std::uint8_t { Late, Gone, Invalid };
std::variant<EngineAnswer, NoAnswer> receive_answer(int socket, Deadline deadline);

}  // namespace ocr
