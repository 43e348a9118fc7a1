// SPDX-License-Identifier: Apache-2.0
#include "services/arn.h"

namespace services {
namespace {

constexpr std::string_view kArnPrefix = "arn:";

}  // namespace

std::string Arn::str() const {
  std::string text;
  text.reserve(kArnPrefix.size() + partition.size() + service.size() + region.size() + account.size() +
               resource.size() + 4);
  text.append(kArnPrefix).append(partition).append(":").append(service).append(":");
  return text.append(region).append(":").append(account).append(":").append(resource);
}

std::optional<Arn> parse_arn(std::string_view text) {
  if (!text.starts_with(kArnPrefix)) return std::nullopt;
  text.remove_prefix(kArnPrefix.size());
  Arn arn;
  for (std::string_view* part : {&arn.partition, &arn.service, &arn.region, &arn.account}) {
    const std::size_t colon = text.find(':');
    if (colon == text.npos) return std::nullopt;
    *part = text.substr(0, colon);
    text.remove_prefix(colon + 1);
  }
  arn.resource = text;
  return arn;
}

std::optional<Arn> parse_arn(std::string_view text, std::string_view service) {
  auto arn = parse_arn(text);
  if (arn && (arn->partition != "aws" || arn->service != service)) arn.reset();
  return arn;
}

bool is_account_id(std::string_view text) {
  return text.size() == 12 && text.find_first_not_of("0123456789") == text.npos;
}

}  // namespace services
