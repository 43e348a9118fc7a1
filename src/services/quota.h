// SPDX-License-Identifier: Apache-2.0
// What an account may store, as the operator configures it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"

namespace services {

// Of one account, against a limit that all accounts have.
inline constexpr std::int64_t kUnlimited = -1;

// nullopt: unlimited.
struct Quota {
  std::optional<std::int64_t> bytes = {}, queues = {}, objects = {};

  bool operator==(const Quota&) const = default;
  bool empty() const { return !bytes && !queues && !objects; }
};

struct Quotas {
  Quota each = {};                              // of every account,
  std::map<std::string, Quota> accounts = {};  // unless one of these states another

  bool empty() const { return each.empty() && accounts.empty(); }
  Quota of(const std::string& account) const;
};

// "222222222222:bytes=1T,queues=50,objects=unlimited"
base::Result<std::pair<std::string, Quota>> parse_quota(const std::string& text);

}  // namespace services
