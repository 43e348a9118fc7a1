// SPDX-License-Identifier: Apache-2.0
// Receipt handles: they identify a delivery of a message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace services::sqs {

struct Receipt {
  std::int64_t queue = 0, lot = 0, seq = 0;
  std::uint64_t message = 0;  // message_tag(): row numbers are reused, message ids are not
  std::int64_t token = 0;  // of this delivery: its time and some random bits
};

std::uint64_t message_tag(std::string_view message_id);
std::int64_t new_token(base::Time now);
base::Time received_at(const Receipt& receipt);

std::string to_handle(const Receipt& receipt);
// nullopt for text that is not from to_handle().
std::optional<Receipt> parse_handle(std::string_view handle);

}  // namespace services::sqs
