// SPDX-License-Identifier: Apache-2.0
// Errors that policies, schedules, notifications and refreshes share, and the rules of their lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/page.h"
#include "wire/error.h"

namespace services::autoscaling {

inline wire::ApiError invalid_request(std::string message) {
  return wire::ApiError("ValidationError", std::move(message));
}

inline wire::ApiError limit_reached(std::string message) {
  return wire::ApiError("LimitExceededFault", std::move(message));
}

// Lists are ordered by row number; a token encodes the last one. Amazon's default is 50 and its maximum 100.
struct NumberPage {
  std::int64_t size = 0, after = 0;
};
NumberPage read_number_page(const std::optional<std::int32_t>& size, const std::optional<std::string>& token);
// Removes what is beyond the page; the token of the next one, where there is one.
std::optional<std::string> number_token(std::int64_t last);

template <class Row>
std::optional<std::string> cut_number_page(std::vector<Row>& rows, const NumberPage& page) {
  if (rows.size() <= static_cast<std::size_t>(page.size)) return std::nullopt;
  rows.resize(static_cast<std::size_t>(page.size));
  return number_token(rows.back().number);
}

}  // namespace services::autoscaling
