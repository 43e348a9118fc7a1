// SPDX-License-Identifier: Apache-2.0
#include "services/usage.h"

namespace services {
namespace {

AccountUsage read_row(const store::Row& row) { return {row.str(0), {row.integer(1), row.integer(2), row.integer(3)}}; }

std::optional<std::string> problem(const char* kind, const std::string& account, const std::optional<std::int64_t>& limit,
                                   std::int64_t used, std::int64_t gain) {
  if (!limit || gain <= 0 || used <= *limit - gain) return std::nullopt;
  return "The account " + account + " has reached its quota of " + kind + ": " + std::to_string(used) + " of " +
         std::to_string(*limit) + " are used; this request needs " + std::to_string(gain) + " more.";
}

}  // namespace

Usage& Usage::operator+=(const Usage& more) {
  bytes += more.bytes;
  queues += more.queues;
  objects += more.objects;
  return *this;
}

store::Migrations usage_migrations() {
  return {"usage", {R"sql(
CREATE TABLE account_usage (
  account TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL,
  queues INTEGER NOT NULL,
  objects INTEGER NOT NULL
) WITHOUT ROWID;
)sql"}};
}

void add_usage(store::Tx& tx, const std::string& account, const Usage& change) {
  if (change == Usage()) return;
  const std::int64_t known = tx.exec(
      "UPDATE account_usage SET bytes = bytes + $2, queues = queues + $3, objects = objects + $4 WHERE account = $1",
      account, change.bytes, change.queues, change.objects);
  if (known == 1) return;
  tx.exec("INSERT INTO account_usage (account, bytes, queues, objects) VALUES ($1, $2, $3, $4)", account, change.bytes,
          change.queues, change.objects);
}

Usage find_usage(store::Tx& tx, const std::string& account) {
  auto found = tx.query("SELECT account, bytes, queues, objects FROM account_usage WHERE account = $1", account).one(read_row);
  return found ? found->usage : Usage();
}

std::vector<AccountUsage> list_usage(store::Tx& tx, const std::string& after, std::int64_t most) {
  return tx
      .query("SELECT account, bytes, queues, objects FROM account_usage WHERE account > $1 ORDER BY account LIMIT $2", after,
             most)
      .all(read_row);
}

std::vector<AccountUsage> largest_usage(store::Tx& tx, std::int64_t most) {
  return tx.query("SELECT account, bytes, queues, objects FROM account_usage ORDER BY bytes DESC, account LIMIT $1", most)
      .all(read_row);
}

std::optional<std::string> quota_problem(const Call& call, const std::string& account, const Usage& gain) {
  const Quotas* quotas = call.locals ? call.locals->find<Quotas>() : nullptr;
  if (!quotas || quotas->empty()) return std::nullopt;
  const Quota quota = quotas->of(account);
  if (quota.empty()) return std::nullopt;
  const Usage used = find_usage(call.tx, account);
  if (auto bytes = problem("bytes", account, quota.bytes, used.bytes, gain.bytes)) return bytes;
  if (auto queues = problem("queues", account, quota.queues, used.queues, gain.queues)) return queues;
  return problem("objects", account, quota.objects, used.objects, gain.objects);
}

}  // namespace services
