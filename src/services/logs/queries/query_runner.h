// SPDX-License-Identifier: Apache-2.0
// Runs queries in the background, in slices on snapshots: one after another, each gets its turn.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "services/logs/insights/execution.h"
#include "services/logs/queries/query_rows.h"
#include "services/module.h"
#include "telemetry/logs/event.h"

namespace services::logs {

// So many are in memory; the others wait as Scheduled.
inline constexpr std::size_t kMaxRuns = 8;

// Its state is in memory only: after a restart, a query that had not ended starts again.
class QueryRunner {
 public:
  Decision look(Call& call);

 private:
  struct Run {
    Run(insights::Execution made, const QueryRow& query, base::Time now)
        : execution(std::move(made)), account(query.account), started(now) {}

    insights::Execution execution;
    std::string account;
    base::Time started;
    std::size_t group = 0;                            // of the query's list
    std::optional<telemetry::EventKey> from = {};     // in that group
    QueryCounts counts = {};
    bool finished = false;
    std::vector<std::string> pages = {};              // of the result, once it is finished
    std::size_t saved = 0;                            // pages
    std::int64_t result_rows = 0;
  };

  const QueryRow& choose(const std::vector<QueryRow>& active);
  const QueryRow* next_to_begin(const std::vector<QueryRow>& active) const;
  void forget_others(Call& call, const std::vector<QueryRow>& active);
  Decision begin(Call& call, const QueryRow& query);
  Decision advance(Call& call, const QueryRow& query, Run& run);
  void read_slice(Call& call, const QueryRow& query, Run& run);
  void finish(Run& run);
  Decision save(Call& call, const QueryRow& query, Run& run);
  Decision fail(Call& call, const QueryRow& query, std::string_view status, const std::string& why);
  Decision clean(Call& call);

  std::map<std::string, std::unique_ptr<Run>> runs_;
  std::string last_;  // the query that had the last turn
};

Loop query_loop();

}  // namespace services::logs
