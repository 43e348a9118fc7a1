// SPDX-License-Identifier: Apache-2.0
// The rows of metric filters and subscription filters.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "store/store.h"

namespace services::logs {

inline constexpr std::int64_t kMaxMetricFilters = 100, kMaxSubscriptionFilters = 2;  // of a group
inline constexpr std::int64_t kMaxRegexFilters = 5;                                  // of a group, of both kinds

// The SQL of their tables.
std::string filter_tables();

struct MetricFilterRow {
  std::int64_t group = 0;
  std::string name, pattern;
  std::string metric_name, metric_namespace, metric_value;
  std::optional<double> default_value = {};
  std::map<std::string, std::string> dimensions = {};
  std::optional<std::string> unit = {};
  base::Time created = {};

  bool operator==(const MetricFilterRow&) const = default;
};

struct SubscriptionRow {
  std::int64_t group = 0;
  std::string name, pattern, destination;
  std::optional<std::string> role = {};
  std::string distribution;
  base::Time created = {};

  bool operator==(const SubscriptionRow&) const = default;
};

std::vector<MetricFilterRow> load_metric_filters(store::Tx& tx, std::int64_t group);
std::vector<SubscriptionRow> load_subscriptions(store::Tx& tx, std::int64_t group);

// Replaces a filter of the same name.
void save(store::Tx& tx, const MetricFilterRow& filter, bool has_regex, const std::string& account, const std::string& region);
void save(store::Tx& tx, const SubscriptionRow& filter, bool has_regex);

// In order of names, then groups. Of one group, or of all of an account and region.
struct MetricFilterPlace {
  std::string name;
  std::int64_t group = 0;
};
struct MetricFilterSearch {
  std::string account, region;
  std::optional<std::int64_t> group = {};
  std::string prefix = {};
  std::optional<std::string> metric_name = {}, metric_namespace = {};
  MetricFilterPlace after = {};
  std::int64_t most = 0;
};
std::vector<MetricFilterRow> search_metric_filters(store::Tx& tx, const MetricFilterSearch& search);

std::int64_t count_regex_filters(store::Tx& tx, std::int64_t group, const std::string& except_name);
void delete_filters(store::Tx& tx, std::int64_t group);

}  // namespace services::logs
