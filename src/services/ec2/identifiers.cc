// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/identifiers.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/random.h"

namespace services::ec2 {
namespace {

constexpr std::size_t kDigits = 17, kOldDigits = 8;

struct IdPrefix {
  std::string_view prefix, type;
};
constexpr IdPrefix kPrefixes[] = {
    {"i", "instance"},      {"lt", "launch-template"},  {"key", "key-pair"},   {"vpc", "vpc"},
    {"subnet", "subnet"},   {"sg", "security-group"},   {"rtb", "route-table"}, {"igw", "internet-gateway"},
    {"sgr", "security-group-rule"},
};

}  // namespace

std::string make_id(std::string_view prefix) {
  // The leading zero is Amazon's.
  return std::string(prefix) + "-0" + base::random_text(kDigits - 1, "0123456789abcdef");
}

std::string derive_id(std::string_view prefix, std::string_view text) {
  return std::string(prefix) + "-" + base::to_hex(base::sha256(text)).substr(0, kDigits);
}

bool is_id(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix) || text.size() <= prefix.size() || text[prefix.size()] != '-') return false;
  const std::string_view digits = text.substr(prefix.size() + 1);
  if (digits.size() != kDigits && digits.size() != kOldDigits) return false;
  return digits.find_first_not_of("0123456789abcdef") == digits.npos;
}

std::string_view resource_type_of(std::string_view id) {
  for (const IdPrefix& entry : kPrefixes) {
    if (is_id(id, entry.prefix)) return entry.type;
  }
  return {};
}

}  // namespace services::ec2
