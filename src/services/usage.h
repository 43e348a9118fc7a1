// SPDX-License-Identifier: Apache-2.0
// What each account stores, counted in the transactions that change it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/call.h"
#include "services/quota.h"

namespace services {

struct Usage {
  std::int64_t bytes = 0;    // of objects and parts, of messages with their attributes, of log events
  std::int64_t queues = 0;
  std::int64_t objects = 0;  // versions, delete markers, open uploads and their parts

  bool operator==(const Usage&) const = default;
  Usage& operator+=(const Usage& more);
  Usage operator-() const { return {-bytes, -queues, -objects}; }
};

// The table of the totals. Migrations of services fill it.
store::Migrations usage_migrations();
// In the transaction of the change.
void add_usage(store::Tx& tx, const std::string& account, const Usage& change);
Usage find_usage(store::Tx& tx, const std::string& account);
struct AccountUsage {
  std::string account;
  Usage usage;
};
// In order of accounts, those after `after`.
std::vector<AccountUsage> list_usage(store::Tx& tx, const std::string& after, std::int64_t most);
// Those with the most bytes.
std::vector<AccountUsage> largest_usage(store::Tx& tx, std::int64_t most);

// Why the account may not have so much more; nullopt where it may. For handlers, before they write. What does not grow is
// not checked: an account that has more than its quota may still replace and delete.
std::optional<std::string> quota_problem(const Call& call, const std::string& account, const Usage& gain);

}  // namespace services
