// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>
#include <fstream>
#include <set>

namespace bench {
namespace {

// The number of connections of the targets.
constexpr int kTargetConnections = 64;

boost::json::object to_json(const Cell& cell) {
  const Measured& measured = cell.measured;
  const Outcome& outcome = measured.outcome;
  return {{"subject", cell.subject},
          {"work", name_of(cell.work)},
          {"connections", cell.connections},
          {"seconds", outcome.elapsed.count()},
          {"requests_per_second", measured.request_rate()},
          {"done_per_second", measured.done_rate()},
          {"messages_per_second", measured.message_rate()},
          {"p50_ms", ms(outcome.latency.quantile(0.5))},
          {"p99_ms", ms(outcome.latency.quantile(0.99))},
          {"generator_cores", measured.own_cpu},
          {"server_cores", measured.server_cpu},
          {"server_us_per_request", measured.server_us()}};
}

boost::json::object to_json(const Deep& deep) {
  return {{"messages", deep.messages},
          {"fill_messages_per_second", deep.fill_rate},
          {"deep_messages_per_second", deep.deep_rate},
          {"empty_messages_per_second", deep.empty_rate},
          {"stop_seconds", deep.stop.count()},
          {"start_seconds", deep.start.count()},
          {"first_message_seconds", deep.first_message.count()}};
}

}  // namespace

void Report::heading() const {
  std::printf("%-9s %-10s %5s %10s %11s %9s %9s %6s %7s %7s\n", "", "", "conns", "requests/s", "messages/s", "p50 ms",
              "p99 ms", "load", "server", "us/req");
}

void Report::add(const Cell& cell) {
  cells_.push_back(cell);
  const Measured& measured = cell.measured;
  const Outcome& outcome = measured.outcome;
  std::printf("%-9s %-10s %5d %10.0f %11.0f %9.3f %9.3f %6.2f %7.2f %7.1f\n", cell.subject.c_str(), name_of(cell.work),
              cell.connections, measured.request_rate(), measured.message_rate(), ms(outcome.latency.quantile(0.5)),
              ms(outcome.latency.quantile(0.99)), measured.own_cpu, measured.server_cpu, measured.server_us());
  std::fflush(stdout);
}

void Report::add(const Deep& deep) {
  deep_ = deep;
  std::printf(
      "\n%lld messages were sent in batches at %.0f/s; the server stopped in %.2f s, was ready again in %.3f s\n"
      "and gave its first message after %.3f s. Received and deleted in tens at 16 connections:\n"
      "%.0f messages/s of that queue, %.0f messages/s of an almost empty one.\n",
      static_cast<long long>(deep.messages), deep.fill_rate, deep.stop.count(), deep.start.count(),
      deep.first_message.count(), deep.deep_rate, deep.empty_rate);
  std::fflush(stdout);
}

void Report::note(const std::string& line) {
  notes_.push_back(line);
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

const Cell* Report::find(const std::string& subject, Work work, int connections) const {
  std::vector<const Cell*> rounds;
  for (const Cell& cell : cells_) {
    if (cell.subject == subject && cell.work == work && cell.connections == connections) rounds.push_back(&cell);
  }
  if (rounds.empty()) return nullptr;
  std::ranges::sort(rounds, {}, [](const Cell* cell) { return cell->measured.done_rate(); });
  return rounds[rounds.size() / 2];
}

void Report::print_summary() const {
  print_ratios();
  print_targets();
}

void Report::print_ratios() const {
  std::set<int> counts;
  for (const Cell& cell : cells_) counts.insert(cell.connections);
  std::printf("\nStoker's rate divided by that of\n%-10s %5s %8s %8s %10s\n", "", "conns", "echo", "redis", "rabbitmq");
  for (Work work : {Work::Send, Work::Batch, Work::Cycle}) {
    for (int connections : counts) {
      const Cell* ours = find("stoker", work, connections);
      if (!ours) continue;
      std::printf("%-10s %5d", name_of(work), connections);
      for (const char* other : {"echo", "redis", "rabbitmq"}) {
        const Cell* theirs = find(other, work, connections);
        const int width = std::string(other) == "rabbitmq" ? 10 : 8;
        std::printf(" %*s", width,
                    theirs ? text("%.2f", ours->measured.done_rate() / theirs->measured.done_rate()).c_str() : "-");
      }
      std::printf("\n");
    }
  }
  if (deep_)
    std::printf("deep queue / empty queue, received and deleted: %.2f\n", deep_->deep_rate / deep_->empty_rate);
}

void Report::print_targets() const {
  std::printf("\nTargets, at %d connections\n", kTargetConnections);
  const Cell* send = find("stoker", Work::Send, kTargetConnections);
  const Cell* echo = find("echo", Work::Send, kTargetConnections);
  const Cell* batch = find("stoker", Work::Batch, kTargetConnections);
  const Cell* cycle = find("stoker", Work::Cycle, kTargetConnections);
  if (send && echo) {
    const double ratio = send->measured.done_rate() / echo->measured.done_rate();
    print_target("durable sends, of the echo's rate", ">= 0.5", text("%.2f", ratio), ratio >= 0.5);
  }
  if (batch) {
    const double rate = batch->measured.message_rate();
    print_target("durable sends in batches of ten, messages/s", ">= 200000", text("%.0f", rate), rate >= 200000);
  }
  if (cycle) {
    const double rate = cycle->measured.done_rate();
    print_target("send, receive, delete: cycles/s", ">= 10000", text("%.0f", rate), rate >= 10000);
  }
  for (Work work : {Work::Send, Work::Batch, Work::Receive1, Work::Receive10}) {
    const Cell* cell = find("stoker", work, kTargetConnections);
    if (!cell) continue;
    const double p99 = ms(cell->measured.outcome.latency.quantile(0.99));
    print_target(std::string("p99 of ") + name_of(work) + ", ms", "< 10", text("%.2f", p99), p99 < 10);
  }
  if (!deep_) return;
  const double slower = deep_->empty_rate / deep_->deep_rate;
  print_target("an empty queue's rate, of a deep one's", "<= 2", text("%.2f", slower), slower <= 2);
  const double start = deep_->start.count();
  print_target("start with " + std::to_string(deep_->messages) + " messages, s", "< 10", text("%.2f", start),
               start < 10);
}

void Report::write_json(const std::string& file) const {
  boost::json::array cells, notes(notes_.begin(), notes_.end());
  for (const Cell& cell : cells_) cells.push_back(to_json(cell));
  boost::json::object all = {{"cells", std::move(cells)}, {"notes", std::move(notes)}};
  if (deep_) all["deep"] = to_json(*deep_);
  std::ofstream(file) << boost::json::serialize(all) << "\n";
}

}  // namespace bench
