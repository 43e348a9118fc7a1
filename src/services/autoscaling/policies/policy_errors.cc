// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/policies/policy_errors.h"

#include <charconv>

#include "base/bytes.h"

namespace services::autoscaling {
namespace {

constexpr std::int32_t kDefaultRecords = 50, kMaxRecords = 100;

wire::ApiError invalid_token(const std::string&) {
  return wire::ApiError("InvalidNextToken", "The NextToken value is not valid.");
}

wire::ApiError invalid_size(std::int32_t size) {
  return invalid_request("MaxRecords must be between 1 and 100, but is " + std::to_string(size));
}

}  // namespace

NumberPage read_number_page(const std::optional<std::int32_t>& size, const std::optional<std::string>& token) {
  const Page page = read_page(size.value_or(kDefaultRecords), token,
                              {.most = kMaxRecords, .invalid_size = invalid_size, .invalid_token = invalid_token});
  NumberPage numbers{.size = page.size};
  if (page.after.empty()) return numbers;
  const char* end = page.after.data() + page.after.size();
  const auto read = std::from_chars(page.after.data(), end, numbers.after);
  if (read.ec != std::errc() || read.ptr != end || numbers.after <= 0) throw invalid_token(*token);
  return numbers;
}

std::optional<std::string> number_token(std::int64_t last) { return base::to_base64(std::to_string(last)); }

}  // namespace services::autoscaling
