// SPDX-License-Identifier: Apache-2.0
// One line in per file, one line out: the protocol that `stoker work --serve` speaks.
#pragma once

#include <boost/describe/class.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "ocr/answer.h"

namespace ocr {

inline constexpr std::size_t kMaxLineBytes = 1 << 20;
inline constexpr char kLanguagesKey[] = "languages";  // metadata of an object that overrides the languages

struct Request {
  std::string id;
  std::string input;  // path of the file
  std::optional<std::map<std::string, std::string>> metadata;
};
BOOST_DESCRIBE_STRUCT(Request, (), (id, input, metadata))

// A line that can't be understood, with its id if it has one.
struct BadRequest {
  std::string id;
  Failure failure;
};

std::variant<Request, BadRequest> parse_request(std::string_view line);

// {"id": ..., "result": {"pages": [...], "languages": ..., "engine": ...}} and a newline. `pages` are the JSON
// documents of the pages, joined by commas.
struct Result {
  std::string pages;
  std::string languages;
  std::string engine;
};
std::string result_json(const Result& result);
std::string result_line(std::string_view id, const Result& result);
std::string failure_line(std::string_view id, const Failure& failure);

}  // namespace ocr
