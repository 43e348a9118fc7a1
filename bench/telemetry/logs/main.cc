// SPDX-License-Identifier: Apache-2.0
// Measures CloudWatch Logs: durable ingestion, the size on disk, and FilterLogEvents for a rare term beside ripgrep
// over plain files with the same lines.
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "client.h"
#include "lines.h"
#include "support/measure.h"
#include "support/stoker_server.h"

namespace bench {
namespace {

constexpr double kTargetEvents = 200000, kTargetSearch = 0.3, kTargetSize = 0.15;
constexpr int kSearches = 3;  // the best counts: the machine has other work
constexpr std::uint64_t kFileLines = 1000000;
constexpr std::int64_t kPoolBodies = 256;
constexpr char kRequestId[] = "deadbeef";

struct Options {
  double seconds = 5;
  int connections = 16;
  std::uint64_t events = 10000000;
  bool quick = false;
  std::string stoker, folder;
};

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Seconds timed(const std::function<void()>& work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::steady_clock::now() - began;
}

Seconds best_of(int times, const std::function<void()>& work) {
  Seconds best{1e9};
  for (int i = 0; i < times; ++i) best = std::min(best, timed(work));
  return best;
}

std::uint64_t bytes_below(const std::string& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

void measure_ingestion(const Options& options) {
  StokerServer server(options.stoker, options.folder + "/ingest");
  create_group(server.endpoint());
  auto bodies = std::make_shared<std::vector<std::string>>();
  for (std::int64_t i = 0; i < kPoolBodies; ++i) {
    bodies->push_back(put_body(static_cast<int>(i % kStreams), static_cast<std::uint64_t>(i) * kEventsARequest, now_ms()));
  }
  std::vector<Connection> open;
  for (int i = 0; i < options.connections; ++i) {
    open.emplace_back(connect_to(server.endpoint().port),
                      repeating_putter(server.endpoint(), bodies, static_cast<std::size_t>(i) * 16));
  }
  const auto load = [&] { return run_load(open, Seconds(options.seconds * 0.15), Seconds(options.seconds)); };
  const Measured measured = measure_load(load, [&] { return server.cpu(); });
  std::printf("ingestion: %.0f events/s in batches of %d at %d connections; p50 %.1f ms, p99 %.1f ms; load %.2f cores, "
              "server %.2f cores, %.0f us of CPU time a request\n",
              measured.message_rate(), kEventsARequest, options.connections, ms(measured.outcome.latency.quantile(0.5)),
              ms(measured.outcome.latency.quantile(0.99)), measured.own_cpu, measured.server_cpu, measured.server_us());
  print_target("durable events a second", text("%.0f", kTargetEvents), text("%.0f", measured.message_rate()),
               measured.message_rate() >= kTargetEvents);
  open.clear();
  server.stop();
}

void write_files(const Options& options) {
  std::filesystem::create_directories(options.folder + "/plain");
  std::string text;
  for (std::uint64_t first = 0; first < options.events; first += kFileLines) {
    text.clear();
    for (std::uint64_t number = first; number < std::min(first + kFileLines, options.events); ++number) {
      append_line(number, text);
      text += '\n';
    }
    std::ofstream(options.folder + "/plain/" + std::to_string(first) + ".log") << text;
  }
}

Seconds ripgrep(const Options& options) {
  const std::string command = "rg --no-config -F " + std::string(kRareTerm) + " " + options.folder + "/plain > /dev/null";
  return best_of(kSearches, [&] {
    if (std::system(command.c_str()) != 0) std::printf("ripgrep found nothing, or is not installed\n");
  });
}

void fill(const Options& options, const Endpoint& endpoint, Feed& feed) {
  std::vector<Connection> open;
  for (int i = 0; i < kStreams; ++i) open.emplace_back(connect_to(endpoint.port), feeding_putter(endpoint, i, &feed));
  const Outcome outcome = run_whole_load(open, Seconds(1e6));
  std::printf("filled %llu events at %.0f events/s, the load generator making each line\n",
              static_cast<unsigned long long>(options.events), outcome.per_second(outcome.messages));
}

void report_search(const char* what, Seconds ours, const Found& found, std::uint64_t raw) {
  std::printf("%s: %llu events in %llu pages, %.3f s, %.0f MB/s of raw lines\n", what,
              static_cast<unsigned long long>(found.events), static_cast<unsigned long long>(found.pages), ours.count(),
              static_cast<double>(raw) / 1e6 / ours.count());
}

void measure_search(const Options& options) {
  StokerServer server(options.stoker, options.folder + "/search");
  create_group(server.endpoint());
  Feed feed{0, options.events, now_ms() - static_cast<std::int64_t>(options.events / 20)};
  fill(options, server.endpoint(), feed);
  const std::uint64_t counted = stored_bytes(server.endpoint()), raw = counted - 26 * options.events;
  write_files(options);
  const Seconds peer = ripgrep(options);
  std::printf("ripgrep: %.3f s, %.0f MB/s\n", peer.count(), static_cast<double>(raw) / 1e6 / peer.count());
  Found found;
  const Seconds rare = best_of(kSearches, [&] { found = filter_all(server.endpoint(), kRareTerm); });
  report_search("rare term", rare, found, raw);
  print_target("of ripgrep's speed, rare term", text("%.2f", kTargetSearch), text("%.2f", peer / rare),
               peer / rare >= kTargetSearch);
  // The trigrams of a request's id are in every chunk: each has to be decompressed.
  const Seconds hidden = best_of(kSearches, [&] { found = filter_all(server.endpoint(), kRequestId); });
  report_search("one request's id", hidden, found, raw);
  const std::string range = ",\"startTime\":" + std::to_string(feed.start_ms) + ",\"endTime\":" +
                            std::to_string(feed.start_ms + 1000);
  const Seconds bounded = best_of(kSearches, [&] { found = filter_all(server.endpoint(), kRequestId, range); });
  report_search("the same in one second of the log", bounded, found, raw);
  server.stop();
  const double chunks = static_cast<double>(bytes_below(options.folder + "/search/data/chunks"));
  const double all = static_cast<double>(bytes_below(options.folder + "/search/data"));
  std::printf("on disk: chunks %.1f MB, all %.1f MB, of %.1f MB of lines\n", chunks / 1e6, all / 1e6,
              static_cast<double>(raw) / 1e6);
  print_target("of the raw size, chunks", text("%.2f", kTargetSize), text("%.3f", chunks / static_cast<double>(raw)),
               chunks / static_cast<double>(raw) <= kTargetSize);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Options options;
  CLI::App app("Measures CloudWatch Logs.", "logs_bench");
  options.stoker = std::filesystem::path(bench::own_folder() + "/../src/stoker").lexically_normal();
  options.folder = bench::own_folder() + "/logs-data-" + std::to_string(::getpid());
  app.add_option("--seconds", options.seconds, "How long ingestion is measured")->capture_default_str();
  app.add_option("--connections", options.connections, "Of ingestion")->capture_default_str();
  app.add_option("--events", options.events, "Events to search in")->capture_default_str();
  app.add_flag("--quick", options.quick, "A smoke run of some seconds");
  app.add_option("--stoker", options.stoker, "The program to measure")->capture_default_str();
  app.add_option("--folder", options.folder, "For data; made, and removed in the end")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (options.quick) options.seconds = 0.5, options.events = 200000;
  options.folder = std::filesystem::absolute(options.folder);
  int status = 0;
  std::filesystem::create_directories(options.folder);
  try {
    bench::measure_ingestion(options);
    bench::measure_search(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "logs_bench: %s\n", error.what());
    status = 1;
  }
  std::filesystem::remove_all(options.folder);
  return status;
}
