// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/arn.h"

#include <algorithm>
#include <array>

namespace services::ecs {
namespace {

constexpr std::size_t kMaxNameLength = 255;
constexpr std::string_view kPrefix = "arn:aws:ecs:";

}  // namespace

std::string Arn::str() const { return arn_text({region, account, type, name}); }

std::string arn_text(const ArnParts& parts) {
  std::string text;
  text.reserve(kPrefix.size() + parts.region.size() + parts.account.size() + parts.type.size() + parts.name.size() + 3);
  text.append(kPrefix).append(parts.region).append(":").append(parts.account).append(":");
  text.append(parts.type).append("/").append(parts.name);
  return text;
}

std::optional<ArnParts> split_arn(std::string_view text) {
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  std::array<std::string_view, 3> parts;
  constexpr std::string_view kEnds = "::/";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t end = text.find(kEnds[i]);
    if (end == text.npos) return std::nullopt;
    parts[i] = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  return ArnParts{parts[0], parts[1], parts[2], text};
}

std::optional<Arn> parse_arn(std::string_view text) {
  const auto parts = split_arn(text);
  if (!parts) return std::nullopt;
  return Arn{std::string(parts->region), std::string(parts->account), std::string(parts->type),
             std::string(parts->name)};
}

Arn own_arn(const Caller& caller, std::string_view type, std::string_view name) {
  return {caller.region, caller.account, std::string(type), std::string(name)};
}

bool plain_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameLength && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

}  // namespace services::ecs
