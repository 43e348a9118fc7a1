// SPDX-License-Identifier: Apache-2.0
#include "webhooks/outbox.h"

#include <array>

namespace webhooks {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::array<base::Duration, kMaxAttempts - 1> kPauses = {
    seconds(5), seconds(30), minutes(2), minutes(10), hours(1), hours(3), hours(6), hours(12), hours(24)};

}  // namespace

const char kTables[] = R"sql(
CREATE TABLE stoker_webhooks (
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  secret TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account, region, name)
);

CREATE TABLE stoker_webhook_deliveries (
  id INTEGER PRIMARY KEY,
  message_id TEXT NOT NULL,
  account TEXT NOT NULL,
  url TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  secret TEXT NOT NULL,
  body TEXT NOT NULL,
  report_to TEXT NOT NULL,
  context TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  last_error TEXT NOT NULL
);
CREATE INDEX stoker_webhook_deliveries_due ON stoker_webhook_deliveries (due_at, id);
CREATE INDEX stoker_webhook_deliveries_account ON stoker_webhook_deliveries (account);
)sql";

bool add_delivery(store::Tx& tx, const Delivery& delivery, base::Time now) {
  const auto pending =
      tx.query("SELECT count(*) FROM stoker_webhook_deliveries WHERE account = $1 AND report_to = $2", delivery.account,
               delivery.report_to)
          .integer();
  if (pending >= kMaxPendingDeliveries) return false;
  enqueue_delivery(tx, delivery, now);
  return true;
}

std::int64_t enqueue_delivery(store::Tx& tx, const Delivery& delivery, base::Time now) {
  return tx.insert(
            "INSERT INTO stoker_webhook_deliveries (message_id, account, url, endpoint, secret, body, report_to, "
            "context, attempts, due_at, last_error) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, '')",
            delivery.message_id, delivery.account, delivery.url, delivery.endpoint, delivery.secret, delivery.body,
            delivery.report_to, delivery.context, now);
}

std::vector<Delivery> due_deliveries(store::Tx& tx, base::Time now, const Excluded& excluded, std::int64_t most) {
  std::string sql =
      "SELECT id, message_id, account, url, endpoint, secret, body, report_to, context, attempts "
      "FROM stoker_webhook_deliveries WHERE due_at <= $1";
  std::vector<store::Param> params{base::to_millis(now), most};
  const auto exclude = [&](const char* column, const std::vector<std::string>& values) {
    for (const std::string& value : values) {
      params.emplace_back(std::string_view(value));
      sql += std::string(" AND ") + column + " <> $" + std::to_string(params.size());
    }
  };
  exclude("endpoint", excluded.endpoints);
  exclude("account", excluded.accounts);
  sql += " ORDER BY due_at, id LIMIT $2";
  std::vector<Delivery> out;
  tx.run(sql, params, [&](const store::Row& row) {
    out.push_back({row.integer(0), row.str(1), row.str(2), row.str(3), row.str(4), row.str(5), row.str(6), row.str(7),
                   row.str(8), static_cast<int>(row.integer(9))});
  });
  return out;
}

std::optional<base::Time> next_due(store::Tx& tx, base::Time now) {
  return tx.query("SELECT due_at FROM stoker_webhook_deliveries WHERE due_at > $1 ORDER BY due_at LIMIT 1", now)
      .one([](const store::Row& row) { return row.time(0); });
}

std::optional<base::Duration> pause_after(int attempts) {
  if (attempts < 1 || attempts > static_cast<int>(kPauses.size())) return std::nullopt;
  return kPauses[static_cast<std::size_t>(attempts - 1)];
}

bool postpone(store::Tx& tx, std::int64_t id, int attempts, base::Time due, const std::string& error) {
  return tx.exec("UPDATE stoker_webhook_deliveries SET attempts = $2, due_at = $3, last_error = $4 WHERE id = $1", id,
                 attempts, due, error) == 1;
}

bool remove_delivery(store::Tx& tx, std::int64_t id) {
  return tx.exec("DELETE FROM stoker_webhook_deliveries WHERE id = $1", id) == 1;
}

}  // namespace webhooks
