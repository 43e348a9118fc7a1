// SPDX-License-Identifier: Apache-2.0
#include "services/quota.h"

#include <charconv>
#include <string_view>

#include "base/byte_size.h"

namespace services {
namespace {

constexpr std::size_t kAccountDigits = 12;

std::optional<std::int64_t> parse_count(std::string_view text) {
  std::int64_t count = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  return whole && count >= 0 ? std::optional(count) : std::nullopt;
}

// One of "bytes=1T", "queues=50" and "objects=1000000". False where it is invalid.
bool read_limit(std::string_view text, Quota& quota) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos) return false;
  const std::string_view name = text.substr(0, equals), value = text.substr(equals + 1);
  std::optional<std::int64_t> limit = parse_count(value);
  if (const auto size = base::parse_size(value); name == "bytes" && size && *size <= INT64_MAX) {
    limit = static_cast<std::int64_t>(*size);
  }
  if (value == "unlimited") limit = kUnlimited;
  if (!limit) return false;
  if (name == "bytes") quota.bytes = limit;
  if (name == "queues") quota.queues = limit;
  if (name == "objects") quota.objects = limit;
  return name == "bytes" || name == "queues" || name == "objects";
}

}  // namespace

Quota Quotas::of(const std::string& account) const {
  const auto found = accounts.find(account);
  if (found == accounts.end()) return each;
  const Quota& own = found->second;
  const auto limit = [](const std::optional<std::int64_t>& stated, const std::optional<std::int64_t>& common) {
    if (!stated) return common;
    return *stated == kUnlimited ? std::nullopt : stated;
  };
  return {limit(own.bytes, each.bytes), limit(own.queues, each.queues), limit(own.objects, each.objects)};
}

base::Result<std::pair<std::string, Quota>> parse_quota(const std::string& text) {
  const base::Error invalid{"'" + text + "' is not a quota: use ACCOUNT:bytes=SIZE,queues=N,objects=N, as in "
                            "222222222222:bytes=1T,queues=50; `unlimited` is a value, too"};
  const std::size_t colon = text.find(':');
  const std::string account = text.substr(0, colon);
  const bool named = account.size() == kAccountDigits && account.find_first_not_of("0123456789") == account.npos;
  if (colon == text.npos || !named) return invalid;
  Quota quota;
  std::string_view rest = std::string_view(text).substr(colon + 1);
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    more = comma != rest.npos;
    if (!read_limit(rest.substr(0, comma), quota)) return invalid;
    if (more) rest.remove_prefix(comma + 1);
  }
  return std::pair(account, quota);
}

}  // namespace services
