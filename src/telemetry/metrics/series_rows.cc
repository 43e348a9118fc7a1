// SPDX-License-Identifier: Apache-2.0
#include "telemetry/metrics/series_rows.h"

#include "base/check.h"

namespace telemetry {

std::int64_t find_series_row(store::Tx& tx, std::string_view key) {
  std::int64_t found = 0;
  tx.query("SELECT id, metric_key FROM telemetry_series WHERE key_hash = $1", stable_hash(key))
      .each([&](const store::Row& row) {
        if (row.text(1) == key) found = row.integer(0);
      });
  return found;
}

std::int64_t insert_series_row(store::Tx& tx, const Metric& metric, std::string_view key, base::Time now) {
  return tx.insert(
      "INSERT INTO telemetry_series (account, region, space, name, metric_key, key_hash, active_at)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7)",
      metric.account, metric.region, metric.space, metric.name, store::BlobView{key}, stable_hash(key), now);
}

void touch_series_row(store::Tx& tx, std::int64_t series, base::Time now) {
  tx.exec("UPDATE telemetry_series SET active_at = $2 WHERE id = $1", series, now);
}

std::string read_series_key(store::Tx& tx, std::int64_t series) {
  auto key = tx.query("SELECT metric_key FROM telemetry_series WHERE id = $1", series).one([](const store::Row& row) {
    return row.str(0);
  });
  CHECK(key) << "points of a series without a row: " << series;
  return *key;
}

std::map<std::string, std::int64_t> count_series_rows(store::Tx& tx) {
  std::map<std::string, std::int64_t> counts;
  tx.query("SELECT account, count(*) FROM telemetry_series GROUP BY account").each([&](const store::Row& row) {
    counts[row.str(0)] = row.integer(1);
  });
  return counts;
}

}  // namespace telemetry
