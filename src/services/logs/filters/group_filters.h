// SPDX-License-Identifier: Apache-2.0
// The filters of a group, compiled once and kept in memory: PutLogEvents needs them for each request.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "services/call.h"
#include "services/logs/filters/filter_rows.h"
#include "services/logs/patterns/pattern.h"

namespace services::logs {

struct CompiledMetricFilter {
  MetricFilterRow row;
  Pattern pattern;
  double number = 0;                                             // the metric's value,
  std::optional<FieldReference> value = {};                      // unless it is a field
  std::vector<std::pair<std::string, FieldReference>> dimensions = {};
};

struct CompiledSubscription {
  SubscriptionRow row;
  Pattern pattern;
};

struct GroupFilters {
  std::vector<CompiledMetricFilter> metrics;
  std::vector<CompiledSubscription> subscriptions;

  bool empty() const { return metrics.empty() && subscriptions.empty(); }
};

// Whether both were made of the same rows.
bool same_filters(const GroupFilters& a, const GroupFilters& b);

// Throws InvalidParameterException for a filter that can't work.
CompiledMetricFilter compile(MetricFilterRow row);

// A cache of the database. A handler that changes filters forgets its group at once, for the handlers after it in the
// same transaction, and again when the transaction ends.
class FilterCache {
 public:
  static constexpr std::size_t kMaxGroups = 10'000;

  // Shared: a group's filters may be forgotten while a handler uses them.
  std::shared_ptr<const GroupFilters> get(store::Tx& tx, std::int64_t group);
  // For a snapshot, which keeps nothing here: it may be older than what the writer knows. And what is here may be newer
  // than the snapshot: a handler that uses what was made with these filters compares them with those that it gets.
  std::shared_ptr<const GroupFilters> peek(store::Tx& snapshot, std::int64_t group) const;
  void forget(std::int64_t group);

 private:
  using Groups = std::unordered_map<std::int64_t, std::shared_ptr<const GroupFilters>>;

  std::shared_ptr<const GroupFilters> find(std::int64_t group) const;

  base::Guarded<Groups> groups_;
};

void forget_filters(Call& call, std::int64_t group);

}  // namespace services::logs
