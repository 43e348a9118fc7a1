// SPDX-License-Identifier: Apache-2.0
// stoker usage
#include <algorithm>
#include <ostream>

#include "base/byte_size.h"
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

// Nothing is counted below 0.
std::string size(std::int64_t bytes) { return base::size_text(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0))); }
std::string number(std::int64_t count) { return std::to_string(count); }

template <class Text>
std::string cell(Text text, std::int64_t used, const std::optional<std::int64_t>& limit) {
  return text(used) + (limit ? " of " + text(*limit) : "");
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
  Rows rows = {{"ACCOUNT", "SIZE", "QUEUES", "OBJECTS"}};
  for (const Account& account : all.accounts) {
    rows.push_back({account.account, cell(size, account.bytes, account.maxBytes),
                    cell(number, account.queues, account.maxQueues), cell(number, account.objects, account.maxObjects)});
  }
  print_table(out, rows);
  return 0;
}

}  // namespace cli
