// SPDX-License-Identifier: Apache-2.0
#include "services/logs/filters/filter_rows.h"

#include "services/shape_json.h"
#include "shapes/logs/metric_filter.h"

namespace services::logs {
namespace {

constexpr char kFilterTables[] = R"sql(
CREATE TABLE logs_metric_filters (
  group_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  account TEXT NOT NULL,               -- of the group, for lists
  region TEXT NOT NULL,
  pattern TEXT NOT NULL,
  transformation TEXT NOT NULL,        -- MetricTransformation as JSON
  metric_name TEXT NOT NULL,
  metric_namespace TEXT NOT NULL,
  has_regex INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (group_id, name)
) WITHOUT ROWID;
CREATE UNIQUE INDEX logs_metric_filters_name ON logs_metric_filters (account, region, name, group_id);
CREATE INDEX logs_metric_filters_metric ON logs_metric_filters (account, region, metric_namespace, metric_name, name, group_id);

CREATE TABLE logs_subscriptions (
  group_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  pattern TEXT NOT NULL,
  destination TEXT NOT NULL,           -- an ARN
  role TEXT,
  distribution TEXT NOT NULL,
  has_regex INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (group_id, name)
) WITHOUT ROWID;
)sql";

constexpr char kMetricFilterColumns[] = "SELECT group_id, name, pattern, transformation, created_at FROM logs_metric_filters ";

MetricFilterRow read_metric_filter(const store::Row& row) {
  const auto transformation = from_json<shapes::logs::MetricTransformation>(row.text(3));
  MetricFilterRow filter;
  filter.group = row.integer(0);
  filter.name = row.str(1);
  filter.pattern = row.str(2);
  filter.metric_name = transformation.metricName;
  filter.metric_namespace = transformation.metricNamespace;
  filter.metric_value = transformation.metricValue;
  filter.default_value = transformation.defaultValue;
  filter.dimensions = transformation.dimensions.value_or(std::map<std::string, std::string>{});
  filter.unit = transformation.unit;
  filter.created = row.time(4);
  return filter;
}

}  // namespace

std::string filter_tables() { return kFilterTables; }

std::vector<MetricFilterRow> load_metric_filters(store::Tx& tx, std::int64_t group) {
  static const std::string sql = std::string(kMetricFilterColumns) + "WHERE group_id = $1 ORDER BY name";
  return tx.query(sql, group).all(read_metric_filter);
}

std::vector<SubscriptionRow> load_subscriptions(store::Tx& tx, std::int64_t group) {
  return tx
      .query("SELECT group_id, name, pattern, destination, role, distribution, created_at FROM logs_subscriptions"
             " WHERE group_id = $1 ORDER BY name",
             group)
      .all([](const store::Row& row) {
        return SubscriptionRow{row.integer(0), row.str(1), row.str(2), row.str(3), row.maybe_str(4), row.str(5), row.time(6)};
      });
}

void save(store::Tx& tx, const MetricFilterRow& filter, bool has_regex, const std::string& account, const std::string& region) {
  shapes::logs::MetricTransformation transformation;
  transformation.metricName = filter.metric_name;
  transformation.metricNamespace = filter.metric_namespace;
  transformation.metricValue = filter.metric_value;
  transformation.defaultValue = filter.default_value;
  if (!filter.dimensions.empty()) transformation.dimensions = filter.dimensions;
  transformation.unit = filter.unit;
  tx.exec(
      "INSERT INTO logs_metric_filters (group_id, name, account, region, pattern, transformation, metric_name,"
      " metric_namespace, has_regex, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
      " ON CONFLICT (group_id, name) DO UPDATE SET pattern = excluded.pattern, transformation = excluded.transformation,"
      " metric_name = excluded.metric_name, metric_namespace = excluded.metric_namespace,"
      " has_regex = excluded.has_regex, created_at = excluded.created_at",
      filter.group, filter.name, account, region, filter.pattern, to_json(transformation), filter.metric_name,
      filter.metric_namespace, has_regex, filter.created);
}

void save(store::Tx& tx, const SubscriptionRow& filter, bool has_regex) {
  tx.exec(
      "INSERT INTO logs_subscriptions (group_id, name, pattern, destination, role, distribution, has_regex, created_at)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
      " ON CONFLICT (group_id, name) DO UPDATE SET pattern = excluded.pattern, destination = excluded.destination,"
      " role = excluded.role, distribution = excluded.distribution, has_regex = excluded.has_regex,"
      " created_at = excluded.created_at",
      filter.group, filter.name, filter.pattern, filter.destination, filter.role, filter.distribution, has_regex,
      filter.created);
}

std::vector<MetricFilterRow> search_metric_filters(store::Tx& tx, const MetricFilterSearch& search) {
  const MetricFilterPlace& after = search.after;
  std::vector<MetricFilterRow> found;
  if (search.group) {
    static const std::string sql = std::string(kMetricFilterColumns) +
                                   "WHERE group_id = $1 AND name >= $2 AND name > $3 ORDER BY name LIMIT $4";
    found = tx.query(sql, *search.group, search.prefix, after.name, search.most).all(read_metric_filter);
    std::erase_if(found, [&](const MetricFilterRow& filter) { return !filter.name.starts_with(search.prefix); });
  } else if (search.metric_name) {
    static const std::string sql = std::string(kMetricFilterColumns) +
        "WHERE account = $1 AND region = $2 AND metric_namespace = $3 AND metric_name = $4"
        " AND (name > $5 OR (name = $5 AND group_id > $6)) ORDER BY name, group_id LIMIT $7";
    return tx.query(sql, search.account, search.region, *search.metric_namespace, *search.metric_name, after.name,
                    after.group, search.most).all(read_metric_filter);
  } else {
    static const std::string sql = std::string(kMetricFilterColumns) +
        "WHERE account = $1 AND region = $2 AND (name > $3 OR (name = $3 AND group_id > $4))"
        " ORDER BY name, group_id LIMIT $5";
    return tx.query(sql, search.account, search.region, after.name, after.group, search.most).all(read_metric_filter);
  }
  // A group has few filters.
  if (search.metric_name) {
    std::erase_if(found, [&](const MetricFilterRow& filter) {
      return filter.metric_name != *search.metric_name || filter.metric_namespace != *search.metric_namespace;
    });
  }
  return found;
}

std::int64_t count_regex_filters(store::Tx& tx, std::int64_t group, const std::string& except_name) {
  return tx.query("SELECT count(*) FROM logs_metric_filters WHERE group_id = $1 AND has_regex = 1 AND name <> $2", group,
                  except_name).integer() +
         tx.query("SELECT count(*) FROM logs_subscriptions WHERE group_id = $1 AND has_regex = 1 AND name <> $2", group,
                  except_name).integer();
}

void delete_filters(store::Tx& tx, std::int64_t group) {
  tx.exec("DELETE FROM logs_metric_filters WHERE group_id = $1", group);
  tx.exec("DELETE FROM logs_subscriptions WHERE group_id = $1", group);
}

}  // namespace services::logs
