// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/bucket_name.h"

#include <algorithm>
#include <iterator>

#include "shapes/s3/bucket.h"
#include "wire/error.h"

namespace services::s3 {
namespace {

constexpr std::size_t kMinName = 3, kMaxName = 63;
constexpr std::string_view kForbiddenPrefixes[] = {"xn--", "sthree-", "amzn-s3-demo-"};
constexpr std::string_view kForbiddenSuffixes[] = {"-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3"};
constexpr std::string_view kIreland = "eu-west-1", kOldIreland = "EU";

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// Four numbers look like an IP address.
bool looks_like_address(std::string_view name) {
  return std::count(name.begin(), name.end(), '.') == 3 && name.find_first_not_of("0123456789.") == name.npos;
}

wire::ApiError incompatible(const std::string& constraint) {
  return wire::ApiError("IllegalLocationConstraintException",
                        "The " + constraint + " location constraint is incompatible for the region specific endpoint "
                        "this request was sent to.");
}

}  // namespace

bool is_bucket_name(std::string_view name) {
  if (name.size() < kMinName || name.size() > kMaxName) return false;
  if (!std::all_of(name.begin(), name.end(), [](char c) { return is_letter_or_digit(c) || c == '.' || c == '-'; })) {
    return false;
  }
  if (!is_letter_or_digit(name.front()) || !is_letter_or_digit(name.back())) return false;
  // Each label must begin and end with a letter or digit. Labels with a hyphen there are rejected, though Amazon's
  // rules mention only two adjacent periods.
  for (std::string_view pair : {"..", ".-", "-."}) {
    if (name.find(pair) != name.npos) return false;
  }
  if (looks_like_address(name)) return false;
  return std::none_of(std::begin(kForbiddenPrefixes), std::end(kForbiddenPrefixes),
                      [&](std::string_view prefix) { return name.starts_with(prefix); }) &&
         std::none_of(std::begin(kForbiddenSuffixes), std::end(kForbiddenSuffixes),
                      [&](std::string_view suffix) { return name.ends_with(suffix); });
}

bool is_region(std::string_view text) {
  const auto& values = shapes::s3::kBucketLocationConstraintValues;
  if (text == kDefaultRegion) return true;
  return text != kOldIreland && std::find(std::begin(values), std::end(values), text) != std::end(values);
}

// The endpoint of us-east-1 accepts every region but its own, which is stated by leaving it out; other endpoints
// accept only their own. A region that Amazon does not have need not be stated.
std::string region_of_new_bucket(const std::optional<std::string>& constraint, const std::string& caller_region) {
  if (!constraint) {
    if (caller_region != kDefaultRegion && is_region(caller_region)) throw incompatible("unspecified");
    return caller_region;
  }
  const std::string region = *constraint == kOldIreland ? std::string(kIreland) : *constraint;
  if (!region.empty() && region != caller_region && caller_region != kDefaultRegion) throw incompatible(*constraint);
  if (region.empty() || (!is_region(region) && region != caller_region) || region == kDefaultRegion) {
    throw wire::ApiError("InvalidLocationConstraint", "The specified location-constraint is not valid")
        .with("LocationConstraint", *constraint);
  }
  return region;
}

}  // namespace services::s3
