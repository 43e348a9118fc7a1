// SPDX-License-Identifier: Apache-2.0
#include "services/logs/queries/query_runner.h"

#include <algorithm>
#include <tuple>

#include "base/log.h"
#include "services/logs/event_pages.h"
#include "services/logs/event_pointer.h"
#include "services/logs/insights/parser.h"
#include "services/logs/queries/query_progress.h"
#include "telemetry/logs/chunk_files.h"
#include "telemetry/logs/reader.h"

namespace services::logs {
namespace {

// What one look decompresses, so that other loops and readers get their turn.
constexpr std::uint64_t kSliceBytes = 4u << 20;
constexpr std::size_t kSliceEvents = 50'000;
constexpr std::uint64_t kSliceWork = 64u << 20;  // of functions, in bytes
// What one transaction writes.
constexpr std::size_t kSaveBytes = 4u << 20;

}  // namespace

// The oldest one of the account with the fewest runs; nullptr where no more can begin.
const QueryRow* QueryRunner::next_to_begin(const std::vector<QueryRow>& active) const {
  if (runs_.size() >= kMaxRuns) return nullptr;
  const auto rank = [&](const QueryRow& query) {
    const auto same = [&](const auto& run) { return run.second->account == query.account; };
    return std::tuple(std::count_if(runs_.begin(), runs_.end(), same), query.created, query.id);
  };
  const QueryRow* best = nullptr;
  for (const QueryRow& query : active) {
    if (!runs_.count(query.id) && (!best || rank(query) < rank(*best))) best = &query;
  }
  return best;
}

// A new one, or in turn one of those that run. `active` is in order of ids.
const QueryRow& QueryRunner::choose(const std::vector<QueryRow>& active) {
  if (const QueryRow* fresh = next_to_begin(active)) return *fresh;
  const QueryRow* first = nullptr;
  for (const QueryRow& query : active) {
    if (!runs_.count(query.id)) continue;
    if (!first) first = &query;
    if (query.id <= last_) continue;
    first = &query;
    break;
  }
  last_ = first->id;
  return *first;
}

void QueryRunner::forget_others(Call& call, const std::vector<QueryRow>& active) {
  std::erase_if(runs_, [&](const auto& run) {
    const bool ended = std::none_of(active.begin(), active.end(), [&](const QueryRow& one) { return one.id == run.first; });
    if (ended) call.local<QueryProgress>().forget(run.first);
    return ended;
  });
}

Decision QueryRunner::look(Call& call) {
  const std::vector<QueryRow> active = load_active_queries(call.tx);
  forget_others(call, active);
  if (active.empty()) return clean(call);
  const QueryRow& query = choose(active);
  const auto found = runs_.find(query.id);
  Decision decision;
  try {
    decision = found == runs_.end() ? begin(call, query) : advance(call, query, *found->second);
  } catch (const insights::QueryTooLarge& error) {
    decision = fail(call, query, "Failed", error.message);
  } catch (const telemetry::TooManyOverlaps& error) {
    decision = fail(call, query, "Failed", error.what());
  }
  decision.next = call.now;
  return decision;
}

Decision QueryRunner::begin(Call& call, const QueryRow& query) {
  auto parsed = insights::parse_query(query.text, query.created);
  if (!parsed) return fail(call, query, "Failed", parsed.error());
  // A group is read from its newest event back; several groups one after another.
  if (query.groups.size() > 1) insights::add_time_order(*parsed);
  insights::ExecutionLimits limits;
  limits.rows = static_cast<std::size_t>(query.row_limit);
  auto run = std::make_unique<Run>(insights::Execution(std::move(*parsed), limits), query, call.now);
  runs_.insert_or_assign(query.id, std::move(run));
  return {.apply = [id = query.id](Call& write) {
    write.tx.exec("UPDATE logs_queries SET status = 'Running' WHERE id = $1 AND status = 'Scheduled'", id);
    // Of a run before a crash.
    write.tx.exec("DELETE FROM logs_query_pages WHERE query = $1", id);
  }};
}

Decision QueryRunner::advance(Call& call, const QueryRow& query, Run& run) {
  if (run.started + kQueryTimeout < call.now) return fail(call, query, "Timeout", "it ran for an hour");
  if (!run.finished) {
    read_slice(call, query, run);
    if (run.group >= query.groups.size()) finish(run);
    return {};
  }
  return save(call, query, run);
}

void QueryRunner::read_slice(Call& call, const QueryRow& query, Run& run) {
  const auto group = load_group(call.tx, query.groups[run.group].id);
  if (!group) {  // deleted meanwhile
    ++run.group;
    return;
  }
  telemetry::LogRange range = range_of(call, *group, query.first_ms, query.last_ms);
  range.backward = true;
  range.from = run.from;
  StreamNames names(call.tx, group->id);
  const std::string log = group->account + ":" + group->name;
  bool more = true;
  std::size_t events = 0;
  const std::uint64_t work_before = run.execution.work();
  const auto page = telemetry::read_log(
      call.tx, call.local<telemetry::ChunkFiles>(), range, kSliceBytes, [&](const telemetry::LogEvent& event) {
        const std::string* stream = names.find(event.stream);
        if (!stream) return true;
        ++run.counts.scanned;
        run.counts.bytes += static_cast<double>(event.message.size());
        more = run.execution.add({.timestamp_ms = event.key.timestamp_ms,
                                  .ingested_ms = event.ingested_ms,
                                  .message = event.message,
                                  .stream = *stream,
                                  .log = log,
                                  .pointer = [&] { return to_text({group->id, event.key}); }});
        return more && ++events < kSliceEvents && run.execution.work() - work_before < kSliceWork;
      });
  run.from = page.next;
  if (!page.next) ++run.group;
  if (!more) run.group = query.groups.size();
  run.counts.matched = static_cast<double>(run.execution.matched());
  const auto& rows = run.execution.rows();
  const auto shown = static_cast<std::ptrdiff_t>(std::min(rows.size(), QueryProgress::kMaxRows));
  call.local<QueryProgress>().set(query.id, {run.counts, {rows.begin(), rows.begin() + shown}});
}

void QueryRunner::finish(Run& run) {
  run.finished = true;
  const auto rows = run.execution.finish();
  run.counts.matched = static_cast<double>(run.execution.matched());
  run.result_rows = std::ssize(rows);
  for (std::size_t begin = 0; begin < rows.size(); begin += kRowsOfPage) {
    run.pages.push_back(to_page(rows, begin, std::min(begin + kRowsOfPage, rows.size())));
  }
}

// Some pages, and with the last one the query has ended.
Decision QueryRunner::save(Call&, const QueryRow& query, Run& run) {
  std::size_t end = run.saved, bytes = 0;
  while (end < run.pages.size() && bytes < kSaveBytes) bytes += run.pages[end++].size();
  // The next look is after this one's end, so the run outlives it.
  return {.apply = [&run, id = query.id, end](Call& write) {
    for (std::size_t i = run.saved; i < end; ++i) save_page(write.tx, id, static_cast<std::int64_t>(i), run.pages[i]);
    if (end == run.pages.size()) end_query(write.tx, id, "Complete", write.now, run.counts, run.result_rows);
    write.tx.on_end([&run, end](bool committed) {
      if (committed) run.saved = end;
    });
  }};
}

Decision QueryRunner::fail(Call&, const QueryRow& query, std::string_view status, const std::string& why) {
  const auto found = runs_.find(query.id);
  const QueryCounts counts = found == runs_.end() ? QueryCounts{} : found->second->counts;
  base::log_warn("query failed", {{"query", query.id}, {"status", status}, {"why", why}});
  return {.apply = [id = query.id, status = std::string(status), counts](Call& write) {
    end_query(write.tx, id, status, write.now, counts, 0);
    write.tx.exec("DELETE FROM logs_query_pages WHERE query = $1", id);
  }};
}

Decision QueryRunner::clean(Call& call) {
  const ExpiredQuery expired = find_expired_query(call.tx, call.now);
  if (!expired.id) return {.next = expired.next};
  return {.apply = [id = *expired.id](Call& write) { delete_query(write.tx, id); }, .next = call.now};
}

Loop query_loop() {
  // Shared: a loop's function is copied.
  auto runner = std::make_shared<QueryRunner>();
  return {"logs queries", kQueryTopic, [runner](Call& call) { return runner->look(call); }};
}

}  // namespace services::logs
