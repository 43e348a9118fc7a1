// SPDX-License-Identifier: Apache-2.0
// What queries that are running have found so far, for GetQueryResults.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "services/logs/queries/query_rows.h"

namespace services::logs {

class QueryProgress {
 public:
  static constexpr std::size_t kMaxRows = 100;  // that are shown of a running query

  struct State {
    QueryCounts counts;
    std::vector<insights::ResultRow> rows;
  };

  void set(const std::string& query, State state) {
    states_.with([&](auto& states) { states[query] = std::move(state); });
  }
  void forget(const std::string& query) {
    states_.with([&](auto& states) { states.erase(query); });
  }
  std::optional<State> get(const std::string& query) const {
    return states_.with([&](const auto& states) {
      const auto found = states.find(query);
      return found == states.end() ? std::nullopt : std::optional(found->second);
    });
  }

 private:
  base::Guarded<std::map<std::string, State>> states_;
};

}  // namespace services::logs
