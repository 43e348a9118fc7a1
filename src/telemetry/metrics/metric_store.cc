// SPDX-License-Identifier: Apache-2.0
#include "telemetry/metrics/metric_store.h"

#include <algorithm>
#include <unordered_map>

#include "base/check.h"
#include "telemetry/metrics/series_rows.h"

namespace telemetry {
namespace {

struct Resolved {
  std::vector<std::int64_t> ids = {};  // a series for each point
  std::vector<ActiveSeries> new_series = {};
  std::map<std::string, std::int64_t> created = {};
  std::optional<PutLimit> limit = {};
};

// The series that are not in memory come from the database, or are created there. A limit leaves nothing behind: the
// caller's transaction may go on without these points.
class Resolver {
 public:
  Resolver(store::Tx& tx, Head& head, const MetricLimits& limits, base::Time now)
      : tx_(tx), head_(head), limits_(limits), now_(now) {}

  Resolved resolve(std::span<const NewPoint> points) {
    std::vector<std::string_view> keys;
    keys.reserve(points.size());
    for (const NewPoint& point : points) keys.push_back(point.key);
    resolved_.ids = head_.use(keys, now_);
    for (std::size_t i = 0; i < points.size() && !resolved_.limit; ++i) {
      if (resolved_.ids[i] == 0) look_up(keys[i]);
    }
    if (resolved_.limit || added_.empty()) return std::move(resolved_);
    for (std::string_view key : order_) add(key, added_.at(key));
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (resolved_.ids[i] == 0) resolved_.ids[i] = added_.at(keys[i]).id;
    }
    return std::move(resolved_);
  }

 private:
  struct Added {
    Metric metric = {};
    std::int64_t id = 0;  // 0: the database does not have it
  };

  void look_up(std::string_view key) {
    auto [known, is_new] = added_.try_emplace(key);
    if (!is_new) return;
    order_.push_back(key);
    auto metric = parse_metric_key(key);
    CHECK(metric) << "the key of a metric";
    known->second = {std::move(*metric), find_series_row(tx_, key)};
    const std::string& account = known->second.metric.account;
    const Head::Size size = head_.size(account);
    if (size.account_series + added_.size() > limits_.active_series ||
        size.series + added_.size() > limits_.active_series_of_all) {
      resolved_.limit = PutLimit::ActiveSeries;
    } else if (known->second.id == 0 && size.account_stored + ++resolved_.created[account] > limits_.stored_series) {
      resolved_.limit = PutLimit::StoredSeries;
    }
  }

  void add(std::string_view key, Added& series) {
    if (series.id == 0) {
      series.id = insert_series_row(tx_, series.metric, key, now_);
    } else {
      touch_series_row(tx_, series.id, now_);
    }
    resolved_.new_series.push_back({series.id, std::string(key)});
  }

  store::Tx& tx_;
  Head& head_;
  const MetricLimits& limits_;
  base::Time now_;
  Resolved resolved_;
  std::unordered_map<std::string_view, Added> added_;  // by key
  std::vector<std::string_view> order_;                // of the points: neighbours get neighbouring numbers
};

}  // namespace

std::optional<PutLimit> MetricStore::put(store::Tx& tx, base::Time now, std::span<const NewPoint> points) {
  if (points.empty()) return std::nullopt;
  if (head_.size("").journal_bytes > limits_.journal_bytes) return PutLimit::Journal;
  Resolved resolved = Resolver(tx, head_, limits_, now).resolve(points);
  if (resolved.limit) return resolved.limit;
  // Shared: a callback of the store must be copyable.
  auto batch = std::make_shared<Batch>();
  batch->id = head_.next_batch();
  batch->arrived = now;
  batch->new_series = std::move(resolved.new_series);
  batch->created = std::move(resolved.created);
  batch->points.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const NewPoint& point = points[i];
    batch->points.push_back({stream_id(resolved.ids[i], point.unit), point.second, point.value, point.aggregate});
  }
  const std::string row = encode_batch(batch->points);
  batch->bytes = static_cast<std::int64_t>(row.size());
  tx.exec("INSERT INTO telemetry_journal (id, arrived_at, points) VALUES ($1, $2, $3)", batch->id, now,
          store::BlobView{row});
  tx.on_end([this, batch](bool committed) {
    if (committed) head_.append(std::move(*batch));
  });
  return std::nullopt;
}

std::optional<std::int64_t> MetricStore::find_series(store::Tx& tx, std::string_view key) {
  if (const std::int64_t id = head_.find(key)) return id;
  if (const std::int64_t id = find_series_row(tx, key)) return id;
  return std::nullopt;
}

std::optional<base::Time> MetricStore::last_arrival(store::Tx& tx, const Metric& metric) {
  const auto id = find_series(tx, metric_key(metric));
  if (!id) return std::nullopt;
  if (const auto arrived = head_.last_arrival(*id)) return arrived;
  return tx.query("SELECT active_at FROM telemetry_series WHERE id = $1", *id).one([](const store::Row& row) {
    return row.time(0);
  });
}

}  // namespace telemetry
