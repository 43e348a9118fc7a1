// SPDX-License-Identifier: Apache-2.0
// Measures queues: Stoker, the upper bound of its HTTP server, and its peers.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <set>

#include "deep.h"
#include "echo.h"
#include "report.h"
#include "subject.h"

namespace bench {
namespace {

// Shorter loads have no warm-up.
constexpr double kWarmUpShare = 0.15;
// Below the 120,000 messages that may be in flight.
constexpr std::int64_t kPrefill = 100000, kQuickPrefill = 2000;

struct Options {
  double seconds = 3;
  std::vector<int> connections = {1, 16, 64, 256};
  std::vector<std::string> only;
  std::int64_t deep = 1000000;
  int repeat = 1;
  bool quick = false, peers = true, echo_server = false;
  std::string json, stoker, folder;

  bool wants(const std::string& what) const {
    return only.empty() || std::find(only.begin(), only.end(), what) != only.end();
  }
};

void parse(CLI::App& app, Options& options) {
  options.stoker = std::filesystem::path(own_folder() + "/../src/stoker").lexically_normal();
  options.folder = own_folder() + "/queue-data-" + std::to_string(::getpid());
  app.add_option("--seconds", options.seconds, "How long each load is measured")->capture_default_str();
  app.add_option("--connections", options.connections, "Numbers of connections")->delimiter(',')->capture_default_str();
  app.add_option("--only", options.only, "Of send, batch, receive1, receive10, cycle, deep")
      ->delimiter(',')
      ->check(CLI::IsMember({"send", "batch", "receive1", "receive10", "cycle", "deep"}));
  app.add_option("--deep", options.deep, "Messages in the deep queue")->capture_default_str();
  app.add_option("--repeat", options.repeat, "Rounds; the ratios are of the median")->capture_default_str();
  app.add_flag("!--no-peers", options.peers, "Leave Redis and RabbitMQ out");
  app.add_flag("--quick", options.quick, "A smoke run of some seconds, without peers");
  app.add_option("--json", options.json, "Write all numbers to this file");
  app.add_option("--stoker", options.stoker, "The program to measure")->capture_default_str();
  app.add_option("--folder", options.folder, "For the servers' data; made, and removed in the end")
      ->capture_default_str();
  app.add_flag("--echo-server", options.echo_server, "Be the echo server (the benchmark starts itself so)");
}

void make_quick(Options& options) {
  options.seconds = 0.2;
  options.connections = {1, 16};
  options.deep = 20000;
  options.peers = false;
}

Cell measure(Subject& subject, Work work, int connections, double seconds) {
  Cell cell;
  cell.subject = subject.name();
  cell.work = work;
  cell.connections = connections;
  // A warm-up would use up the messages.
  const bool finite = work == Work::Receive1 || work == Work::Receive10;
  std::vector<Connection> open = subject.prepare(work, connections);
  const auto load = [&] { return run_load(open, Seconds(finite ? 0 : seconds * kWarmUpShare), Seconds(seconds)); };
  cell.measured = measure_load(load, [&] { return subject.cpu(); });
  open.clear();
  subject.clean_up();
  return cell;
}

// Stoker and the echo alternate, so that other load affects both. If they fail, so does the
// benchmark.
void measure_ours(const Options& options, Report& report) {
  const Ground ground = {options.folder, options.quick ? kQuickPrefill : kPrefill};
  auto stoker = stoker_subject(options.stoker, ground);
  auto echo = echo_subject(ground);
  for (int connections : options.connections) {
    for (Work work : kAllWork) {
      if (!options.wants(name_of(work))) continue;
      report.add(measure(*stoker, work, connections, options.seconds));
      if (echo->does(work)) report.add(measure(*echo, work, connections, options.seconds));
    }
  }
}

using MakeSubject = std::unique_ptr<Subject> (*)(const Ground&);

// A missing or failing peer gets a line with the reason, and the benchmark continues.
void measure_peer(const char* name, MakeSubject make, const Options& options, Report& report) {
  try {
    auto subject = make({options.folder, 0});
    for (int connections : options.connections) {
      for (Work work : kAllWork) {
        if (!options.wants(name_of(work)) || !subject->does(work)) continue;
        report.add(measure(*subject, work, connections, options.seconds));
      }
    }
  } catch (const std::exception& error) {
    report.note(std::string(name) + ": " + error.what());
  }
}

void run(const Options& options) {
  Report report;
  std::printf("%d cores; load and server are the cores that each used\n",
              static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
  report.heading();
  for (int round = 0; round < options.repeat; ++round) {
    measure_ours(options, report);
    if (!options.peers || options.only == std::vector<std::string>{"deep"}) continue;
    measure_peer("redis", &redis_subject, options, report);
    measure_peer("rabbitmq", &rabbitmq_subject, options, report);
  }
  if (options.deep > 0 && options.wants("deep")) {
    const DeepPlan plan = {options.stoker, options.folder + "/deep", options.deep, Seconds(options.seconds)};
    report.add(measure_deep(plan));
  }
  report.print_summary();
  if (!options.json.empty()) report.write_json(options.json);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Options options;
  CLI::App app("Measures Stoker's queue beside its ceiling and its peers.", "queue_bench");
  bench::parse(app, options);
  CLI11_PARSE(app, argc, argv);
  if (options.echo_server) return bench::run_echo_server();
  if (options.quick) bench::make_quick(options);
  options.folder = std::filesystem::absolute(options.folder);  // servers may change their working directory
  int status = 0;
  std::filesystem::create_directories(options.folder);
  try {
    bench::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "queue_bench: %s\n", error.what());
    status = 1;
  }
  std::filesystem::remove_all(options.folder);
  return status;
}
