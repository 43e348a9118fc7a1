// SPDX-License-Identifier: Apache-2.0
#include "services/logs/insights/execution.h"

#include <algorithm>
#include <numeric>

#include "wire/json.h"

namespace services::logs::insights {
namespace {

using StepKind = Step::Kind;

bool keeps_rows(const Step& step) { return step.kind == StepKind::Sort || step.kind == StepKind::Stats; }

// A key of several values, unambiguously.
std::string key_of(const std::vector<Value>& values) {
  std::string key;
  for (const Value& value : values) {
    const std::string text = value.as_text();
    key += value.is_null() ? "-" : std::to_string(text.size());
    key += ':';
    key += text;
  }
  return key;
}

}  // namespace

std::string logfmt_to_json(std::string_view text) {
  std::string out = "{";
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
      ++at;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of("= \t\r\n", at), text.size());
    const std::string_view key = text.substr(at, end - at);
    std::string value;
    at = end;
    if (at < text.size() && text[at] == '=') {
      ++at;
      if (at < text.size() && text[at] == '"') {
        for (++at; at < text.size() && text[at] != '"'; ++at) {
          if (text[at] == '\\' && at + 1 < text.size()) ++at;
          value += text[at];
        }
        ++at;
      } else {
        const std::size_t stop = std::min(text.find_first_of(" \t\r\n", at), text.size());
        value = text.substr(at, stop - at);
        at = stop;
      }
    }
    if (key.empty()) continue;
    if (out.size() > 1) out += ',';
    wire::write_json_string(key, out);
    out += ':';
    wire::write_json_string(value, out);
  }
  return out + "}";
}

Execution::Execution(Query query, ExecutionLimits limits)
    : query_(std::move(query)), limits_(limits), states_(query_.steps.size() + 1), row_(query_.names.size()) {
  if (!query_.has_limit) {
    Step last{.kind = StepKind::Limit};
    last.limit = limits_.rows;
    query_.steps.push_back(std::move(last));
  }
  const auto found = std::find_if(query_.steps.begin(), query_.steps.end(), keeps_rows);
  first_buffer_ = static_cast<std::size_t>(found - query_.steps.begin());
  for (std::size_t i = 0; i < query_.steps.size(); ++i) {
    if (query_.steps[i].kind == StepKind::Sort) states_[i].keep = rows_after(i);
  }
}

// How many rows are needed of a sort: those of the next limit, if no step before it drops any.
std::size_t Execution::rows_after(std::size_t sort) const {
  for (std::size_t i = sort + 1; i < query_.steps.size(); ++i) {
    switch (query_.steps[i].kind) {
      case StepKind::Limit: return query_.steps[i].limit;
      case StepKind::Compute:
      case StepKind::Parse:
      case StepKind::Logfmt: break;
      default: return 0;
    }
  }
  return 0;
}

void Execution::spend(std::size_t bytes) {
  spent_bytes_ += bytes;
  if (spent_bytes_ > limits_.buffered_bytes) {
    throw QueryTooLarge{"The query needs more than " + std::to_string(limits_.buffered_bytes >> 20) +
                        " MiB of memory for rows and groups"};
  }
}

bool Execution::add(const Event& event) {
  fields_.reset(event);
  std::fill(row_.loaded.begin(), row_.loaded.end(), 0);
  row_.event = &fields_;
  row_.time_ms = event.timestamp_ms;
  row_.number = number_++;
  return push(row_, 0);
}

bool Execution::push(Row& row, std::size_t at) {
  for (; at < query_.steps.size(); ++at) {
    const Step& step = query_.steps[at];
    State& state = states_[at];
    if (at == first_buffer_ && row.event) ++matched_;
    switch (step.kind) {
      case StepKind::Compute:
      case StepKind::Filter:
        if (!compute(step, row)) return true;
        break;
      case StepKind::Parse:
      case StepKind::Logfmt: parse(step, row); break;
      case StepKind::Stats: add_to_group(step, state, row); return true;
      case StepKind::Sort: buffer(step, state, row); return true;
      case StepKind::Dedup:
        if (!deduplicate(step, state, row)) return true;
        break;
      case StepKind::Limit:
        if (state.count >= step.limit) return false;
        if (++state.count == step.limit && at + 1 == query_.steps.size()) {
          if (at < first_buffer_ && row.event) ++matched_;
          output(row);
          return false;
        }
    }
  }
  if (first_buffer_ >= query_.steps.size() && row.event) ++matched_;
  output(row);
  return true;
}

// False where a filter drops the row.
bool Execution::compute(const Step& step, Row& row) {
  Value scratch;
  if (step.kind == StepKind::Filter) return evaluate(step.condition, row, query_.names, scratch).holds();
  // All values before the first assignment: an alias is not visible in its own command.
  std::vector<Value> values;
  for (const auto& one : step.assignments) values.push_back(evaluate(one.value, row, query_.names, scratch));
  for (std::size_t i = 0; i < values.size(); ++i) row.set(step.assignments[i].slot, std::move(values[i]));
  return true;
}

void Execution::parse(const Step& step, Row& row) {
  Value scratch;
  const Value& source = evaluate(step.source, row, query_.names, scratch);
  const std::string text = source.as_text();
  if (step.kind == StepKind::Logfmt) {
    row.set(step.targets[0], source.is_null() ? Value::null() : Value::of(logfmt_to_json(text)));
    return;
  }
  const auto found = source.is_null() ? std::nullopt : step.regex->captures(text);
  for (std::size_t i = 0; i < step.targets.size(); ++i) {
    const auto part = found ? (*found)[step.captures[i]] : std::nullopt;
    row.set(step.targets[i], part ? Value::of(*part) : Value::null());
  }
}

void Execution::add_to_group(const Step& step, State& state, Row& row) {
  std::vector<Value> by;
  Value scratch;
  for (const auto& one : step.groups) by.push_back(evaluate(one.value, row, query_.names, scratch));
  std::string key = key_of(by);
  const std::size_t key_size = key.size();
  const auto [found, added] = state.group_numbers.try_emplace(std::move(key), state.groups.size());
  if (added) {
    if (state.groups.size() >= limits_.groups) {
      throw QueryTooLarge{"A stats command has more than " + std::to_string(limits_.groups) + " groups"};
    }
    spend(key_size * 2 + step.aggregates.size() * sizeof(AggregateState) + 200);
    state.groups.push_back({std::move(by), std::vector<AggregateState>(step.aggregates.size())});
    for (const Aggregate& one : step.aggregates) {
      if (one.kind == Aggregate::Kind::Percentile) spend(Quantiles::kExact * sizeof(double));
      if (one.kind == Aggregate::Kind::Distinct) spend(4096);
    }
  }
  Group& group = state.groups[found->second];
  for (std::size_t i = 0; i < step.aggregates.size(); ++i) {
    const Aggregate& aggregate = step.aggregates[i];
    const Value& value = aggregate.argument ? evaluate(*aggregate.argument, row, query_.names, scratch) : scratch;
    group.aggregates[i].add(aggregate, value, row.time_ms);
  }
}

bool Execution::deduplicate(const Step& step, State& state, Row& row) {
  std::vector<Value> values;
  for (const Step::Key& key : step.keys) {
    values.push_back(row.get(key.slot, query_.names));
    if (values.back().is_null()) return true;
  }
  const auto [found, added] = state.seen.insert(key_of(values));
  if (added) spend(found->size() + 64);
  return added;
}

bool Execution::before(const Step& step, Row& a, Row& b) {
  for (const Step::Key& key : step.keys) {
    const int order = natural_order(a.get(key.slot, query_.names), b.get(key.slot, query_.names));
    if (order != 0) return (order < 0) != key.descending;
  }
  return a.number < b.number;
}

// Keeps a row, read from its event completely. `state.rows` is a heap with the last row on top.
void Execution::buffer(const Step& step, State& state, Row& row) {
  const auto last_on_top = [&](Row& a, Row& b) { return before(step, a, b); };
  const auto size_of = [](const Row& one) {
    return std::accumulate(one.values.begin(), one.values.end(), std::size_t{64},
                           [](std::size_t sum, const Value& value) { return sum + sizeof(Value) + value.text.size(); });
  };
  if (state.keep > 0 && state.rows.size() >= state.keep) {
    if (!before(step, row, state.rows.front())) return;
    std::pop_heap(state.rows.begin(), state.rows.end(), last_on_top);
    spent_bytes_ -= std::min(spent_bytes_, size_of(state.rows.back()));
    state.rows.pop_back();
  }
  Row copy = row;
  materialise(copy);
  spend(size_of(copy));
  state.rows.push_back(std::move(copy));
  std::push_heap(state.rows.begin(), state.rows.end(), last_on_top);
}

void Execution::materialise(Row& row) {
  for (std::size_t slot = 0; slot < row.values.size(); ++slot) row.get(slot, query_.names);
  row.event = nullptr;
}

void Execution::emit_sorted(std::size_t at) {
  const Step& step = query_.steps[at];
  std::vector<Row> rows = std::move(states_[at].rows);
  std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return before(step, const_cast<Row&>(a), const_cast<Row&>(b));  // their values are loaded
  });
  for (Row& row : rows) {
    if (!emit(row, at)) return;
  }
}

void Execution::emit_groups(std::size_t at) {
  const Step& step = query_.steps[at];
  State& state = states_[at];
  // Without `by` there is one group, also without events.
  if (step.groups.empty() && state.groups.empty()) {
    state.groups.push_back({{}, std::vector<AggregateState>(step.aggregates.size())});
  }
  std::vector<Row> rows;
  for (const Group& group : state.groups) {
    Row row(query_.names.size());
    row.number = rows.size();
    for (std::size_t i = 0; i < group.by.size(); ++i) row.set(step.groups[i].slot, group.by[i]);
    for (std::size_t i = 0; i < group.aggregates.size(); ++i) {
      row.set(step.aggregates[i].slot, group.aggregates[i].result(step.aggregates[i]));
    }
    compute(Step{.kind = StepKind::Compute, .assignments = step.assignments}, row);
    rows.push_back(std::move(row));
  }
  if (step.by_time) {
    std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
      for (const auto& group : step.groups) {
        if (const int order = natural_order(a.values[group.slot], b.values[group.slot])) return order < 0;
      }
      return false;
    });
  }
  state = {};
  for (Row& row : rows) {
    if (!emit(row, at)) return;
  }
}

bool Execution::emit(Row& row, std::size_t at) {
  row.work = 0;
  const bool more = push(row, at + 1);
  finish_work_ += row.work;
  if (finish_work_ > limits_.finish_work) throw QueryTooLarge{"The query takes too much work after its last event"};
  return more;
}

void Execution::output(Row& row) {
  ResultRow result;
  bool has_pointer = false;
  for (const Column& column : query_.columns) {
    const Value& value = row.get(column.slot, query_.names);
    has_pointer = has_pointer || column.name == "@ptr";
    if (!value.is_null()) result.emplace_back(column.name, value.shown());
  }
  if (!query_.has_stats && !has_pointer) {
    if (const Value& pointer = row.get(0, query_.names); !pointer.is_null()) result.emplace_back("@ptr", pointer.text);
  }
  std::size_t size = 64;
  for (const auto& [field, value] : result) size += field.size() + value.size() + 64;
  spend(size);
  results_.push_back(std::move(result));
}

std::vector<ResultRow> Execution::finish() {
  for (std::size_t i = 0; i < query_.steps.size(); ++i) {
    if (query_.steps[i].kind == StepKind::Sort) emit_sorted(i);
    if (query_.steps[i].kind == StepKind::Stats) emit_groups(i);
  }
  return std::move(results_);
}

}  // namespace services::logs::insights
