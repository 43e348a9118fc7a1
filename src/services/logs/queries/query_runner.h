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

// Its state is in memory only: after a restart, a query that had not ended starts again.
class QueryRunner {
 public:
  Decision look(Call& call);

 private:
  struct Run {
    explicit Run(insights::Execution made) : execution(std::move(made)) {}

    insights::Execution execution;
    std::size_t group = 0;                            // of the query's list
    std::optional<telemetry::EventKey> from = {};     // in that group
    QueryCounts counts = {};
    bool marked = false;                              // as Running, in the database
    bool finished = false;
    std::vector<std::string> pages = {};              // of the result, once it is finished
    std::size_t saved = 0;                            // pages
    std::int64_t result_rows = 0;
  };

  const QueryRow& choose(const std::vector<QueryRow>& active);
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
