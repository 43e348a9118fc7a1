// SPDX-License-Identifier: Apache-2.0
// stoker usage
#include <ostream>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/profile.h"
#include "cli/table.h"
#include "shapes/stoker/account.h"
#include "shapes/stoker/names.h"

namespace cli {
namespace {

using namespace shapes::stoker;

const client::Target kTarget{kService, "stoker", wire::Protocol::Json11};

std::string cell(std::int64_t used, const std::optional<std::int64_t>& limit) {
  return std::to_string(used) + (limit ? " of " + std::to_string(*limit) : "");
}

}  // namespace

int account_usage(const Options& options, std::ostream& out) {
  client::Client client(read_profile(options));
  ListAccountsResponse all;
  ListAccountsRequest request;
  do {
    auto page = client.call<ListAccountsResponse>(kTarget, "ListAccounts", request);
    all.accounts.insert(all.accounts.end(), page.accounts.begin(), page.accounts.end());
    request.nextToken = page.nextToken;
  } while (request.nextToken);
  if (options.json) {
    print_json(out, all);
    return 0;
  }
  Rows rows = {{"ACCOUNT", "BYTES", "QUEUES", "OBJECTS"}};
  for (const Account& account : all.accounts) {
    rows.push_back({account.account, cell(account.bytes, account.maxBytes), cell(account.queues, account.maxQueues),
                    cell(account.objects, account.maxObjects)});
  }
  print_table(out, rows);
  return 0;
}

}  // namespace cli
