// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "base/bytes.h"
#include "telemetry/metrics/bytes.h"
#include "telemetry/metrics/metric_store.h"

namespace telemetry {
namespace {

// Rows that a page looks at, at most: a filter on dimensions may pass few of them.
constexpr int kRowsPerPage = 20'000;
constexpr int kRowsPerQuery = 1'000;

// The order of a list is by namespace, name and number of the series.
struct Position {
  std::string space, name;
  std::int64_t id = 0;
};

std::string encode_position(const Position& position) {
  std::string out;
  append_key_part(position.space, out);
  append_key_part(position.name, out);
  append_varint(static_cast<std::uint64_t>(position.id), out);
  return out;
}

std::optional<std::string> take_text(ByteReader& in) {
  const std::string_view size = in.take(2);
  if (!in.ok()) return std::nullopt;
  const std::string_view text = in.take(static_cast<std::size_t>(static_cast<std::uint8_t>(size[0])) << 8 |
                                        static_cast<std::uint8_t>(size[1]));
  // A text with a zero byte can't be passed to the database, and no position has one.
  if (!in.ok() || text.find('\0') != text.npos) return std::nullopt;
  return std::string(text);
}

std::optional<Position> decode_position(std::string_view bytes) {
  ByteReader in(bytes);
  auto space = take_text(in);
  auto name = space ? take_text(in) : std::nullopt;
  if (!name) return std::nullopt;
  Position position{std::move(*space), std::move(*name), static_cast<std::int64_t>(in.varint())};
  if (!in.ok() || !in.done()) return std::nullopt;
  return position;
}

bool passes(const Metric& metric, const MetricFilter& filter) {
  if (filter.name && metric.name != *filter.name) return false;
  return std::all_of(filter.dimensions.begin(), filter.dimensions.end(), [&](const auto& wanted) {
    return std::any_of(metric.dimensions.begin(), metric.dimensions.end(), [&](const Dimension& dimension) {
      return dimension.name == wanted.name && (!wanted.value || dimension.value == *wanted.value);
    });
  });
}

struct SeriesRow {
  std::int64_t id = 0;
  base::Time active;
  std::string key;
};

std::vector<SeriesRow> next_rows(store::Tx& tx, const MetricFilter& filter, const Position& after) {
  auto read = [](const store::Row& row) { return SeriesRow{row.integer(0), row.time(1), row.str(2)}; };
  if (filter.space && filter.name) {
    return tx
        .query("SELECT id, active_at, metric_key FROM telemetry_series WHERE account = $1 AND region = $2 AND"
               " space = $3 AND name = $4 AND id > $5 ORDER BY id LIMIT $6",
               filter.account, filter.region, *filter.space, *filter.name, after.id, kRowsPerQuery)
        .all(read);
  }
  if (filter.space) {
    return tx
        .query("SELECT id, active_at, metric_key FROM telemetry_series WHERE account = $1 AND region = $2 AND"
               " space = $3 AND (name, id) > ($4, $5) ORDER BY name, id LIMIT $6",
               filter.account, filter.region, *filter.space, after.name, after.id, kRowsPerQuery)
        .all(read);
  }
  return tx
      .query("SELECT id, active_at, metric_key FROM telemetry_series WHERE account = $1 AND region = $2 AND"
             " (space, name, id) > ($3, $4, $5) ORDER BY space, name, id LIMIT $6",
             filter.account, filter.region, after.space, after.name, after.id, kRowsPerQuery)
      .all(read);
}

bool has_zero(const std::optional<std::string>& text) { return text && text->find('\0') != text->npos; }

}  // namespace

std::optional<ListedMetrics> MetricStore::list(store::Tx& tx, const MetricFilter& filter) {
  ListedMetrics listed;
  Position after;
  if (!filter.after.empty()) {
    auto decoded = decode_position(filter.after);
    if (!decoded) return std::nullopt;
    after = std::move(*decoded);
  }
  if (has_zero(filter.space) || has_zero(filter.name)) return listed;
  for (int seen = 0; seen < kRowsPerPage; seen += kRowsPerQuery) {
    const auto rows = next_rows(tx, filter, after);
    for (const SeriesRow& row : rows) {
      auto metric = parse_metric_key(row.key);
      if (!metric) continue;
      if (listed.metrics.size() == filter.most) {
        listed.next = encode_position(after);
        return listed;
      }
      after = {metric->space, metric->name, row.id};
      const base::Time active = std::max(row.active, head_.last_arrival(row.id).value_or(row.active));
      if (active >= filter.active_since && passes(*metric, filter)) listed.metrics.push_back(std::move(*metric));
    }
    if (rows.size() < static_cast<std::size_t>(kRowsPerQuery)) return listed;
  }
  listed.next = encode_position(after);
  return listed;
}

}  // namespace telemetry
