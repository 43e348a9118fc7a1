// SPDX-License-Identifier: Apache-2.0
#include "services/s3/key_walk.h"

namespace services::s3 {
namespace {

constexpr std::size_t kMaxKeyBytes = 1024;

}  // namespace

std::string after_prefix(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xFF) prefix.pop_back();
  if (prefix.empty()) return std::string(kMaxKeyBytes + 1, '\xFF');
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

std::string Walk::common_prefix(std::string_view key) const {
  if (delimiter.empty()) return {};
  const std::size_t found = key.find(delimiter, prefix.size());
  return found == key.npos ? std::string() : std::string(key.substr(0, found + delimiter.size()));
}

Position Walk::after_marker(const std::string& marker) const {
  std::string from = marker.empty() ? "" : after_key(marker);
  // A common prefix that contains the marker was listed already, though later keys of it exist.
  if (marker.starts_with(prefix)) {
    if (const std::string common = common_prefix(marker); !common.empty()) from = after_prefix(common);
  }
  return {std::max(from, prefix), std::nullopt};
}

}  // namespace services::s3
