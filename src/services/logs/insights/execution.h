// SPDX-License-Identifier: Apache-2.0
// Runs a query over events that arrive one after another, the newest first.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "services/logs/insights/aggregate.h"
#include "services/logs/insights/query.h"
#include "services/logs/insights/row.h"

namespace services::logs::insights {

struct ExecutionLimits {
  std::size_t rows = 10'000;                    // of the result, where the query has no `limit`
  std::size_t groups = 100'000;                 // of a stats command
  std::size_t buffered_bytes = 64u << 20;       // of rows and groups in memory
  std::uint64_t finish_work = 1u << 30;         // bytes that functions make and search after the last event
};

using ResultRow = std::vector<std::pair<std::string, std::string>>;  // fields and values, without nulls

class Execution {
 public:
  Execution(Query query, ExecutionLimits limits);

  // False once more events can't change the result. Throws QueryTooLarge.
  bool add(const Event& event);
  // The rows; once. `matched` counts the events that passed the filters before.
  std::vector<ResultRow> finish();
  std::uint64_t matched() const { return matched_; }
  // Bytes that functions made and searched, for events so far.
  std::uint64_t work() const { return row_.work; }
  // Rows that are part of the result already, while the query runs: none where all events must be seen first.
  const std::vector<ResultRow>& rows() const { return results_; }

 private:
  struct Group {
    std::vector<Value> by;
    std::vector<AggregateState> aggregates;
  };
  struct State {
    std::vector<Row> rows;                          // Sort
    std::size_t keep = 0;                           // Sort: more are never needed; 0: all
    std::unordered_map<std::string, std::size_t> group_numbers;  // Stats
    std::vector<Group> groups;
    std::unordered_set<std::string> seen;           // Dedup
    std::size_t count = 0;                          // Limit
  };

  // Passes a row through the steps from `step` on. False: no more rows are needed there.
  bool push(Row& row, std::size_t step);
  bool compute(const Step& step, Row& row);
  void parse(const Step& step, Row& row);
  void add_to_group(const Step& step, State& state, Row& row);
  bool deduplicate(const Step& step, State& state, Row& row);
  void buffer(const Step& step, State& state, Row& row);
  bool before(const Step& step, Row& a, Row& b);
  void emit_groups(std::size_t at);
  void emit_sorted(std::size_t at);
  void materialise(Row& row);
  void spend(std::size_t bytes);
  // Passes a row that was kept back on to the steps after `at`.
  bool emit(Row& row, std::size_t at);
  void output(Row& row);
  std::size_t rows_after(std::size_t sort) const;

  Query query_;
  ExecutionLimits limits_;
  std::vector<State> states_;
  EventFields fields_;
  Row row_;
  std::size_t first_buffer_ = 0;  // the first step that keeps rows back
  std::size_t spent_bytes_ = 0;
  std::uint64_t finish_work_ = 0;
  std::uint64_t matched_ = 0, number_ = 0;
  std::vector<ResultRow> results_;
};

// {"a":"1","b":""} of `a=1 b`: what `parse ... logfmt` reads, as JSON.
std::string logfmt_to_json(std::string_view text);

}  // namespace services::logs::insights
