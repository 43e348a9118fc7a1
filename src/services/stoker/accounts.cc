// SPDX-License-Identifier: Apache-2.0
#include "services/stoker/accounts.h"

#include "services/usage.h"
#include "shapes/stoker/account.h"

namespace services::stoker {
namespace {

using namespace shapes::stoker;

constexpr std::int64_t kPage = 1000;

Quota quota_of(const Call& call, const std::string& account) {
  const Quotas* quotas = call.locals ? call.locals->find<Quotas>() : nullptr;
  return quotas ? quotas->of(account) : Quota();
}

Account shown(const Call& call, const AccountUsage& row) {
  const Quota quota = quota_of(call, row.account);
  return {row.account, row.usage.bytes, row.usage.queues, row.usage.objects, quota.bytes, quota.queues, quota.objects};
}

// The root key sees all accounts, any other key its own.
ListAccountsResponse list_accounts(Call& call, const ListAccountsRequest& request) {
  ListAccountsResponse response;
  if (!call.caller.root) {
    response.accounts.push_back(shown(call, {call.caller.account, find_usage(call.tx, call.caller.account)}));
    return response;
  }
  auto rows = list_usage(call.tx, request.nextToken.value_or(""), kPage + 1);
  if (std::ssize(rows) > kPage) {
    rows.pop_back();
    response.nextToken = rows.back().account;
  }
  for (const AccountUsage& row : rows) response.accounts.push_back(shown(call, row));
  return response;
}

}  // namespace

std::vector<Operation> account_operations() { return {operation<&list_accounts>("ListAccounts", Access::Read)}; }

std::vector<Gauge> account_gauges(Call& call) {
  std::vector<Gauge> gauges;
  const auto add = [&](const std::string& account, const char* of, std::int64_t used, const std::optional<std::int64_t>& limit) {
    const std::map<std::string, std::string> labels = {{"account", account}, {"of", of}};
    gauges.push_back({.name = "stoker_account_usage",
                      .help = "What accounts store; those with the most bytes.",
                      .labels = labels,
                      .value = static_cast<double>(used)});
    if (!limit) return;
    gauges.push_back({.name = "stoker_account_quota",
                      .help = "What these accounts may store, where that is limited.",
                      .labels = labels,
                      .value = static_cast<double>(*limit)});
  };
  for (const AccountUsage& row : largest_usage(call.tx, kMostShownAccounts)) {
    const Quota quota = quota_of(call, row.account);
    add(row.account, "bytes", row.usage.bytes, quota.bytes);
    add(row.account, "queues", row.usage.queues, quota.queues);
    add(row.account, "objects", row.usage.objects, quota.objects);
  }
  return gauges;
}

}  // namespace services::stoker
