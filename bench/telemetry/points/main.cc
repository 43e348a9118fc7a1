// SPDX-License-Identifier: Apache-2.0
// Metric points: durable points per second, bytes per point, and a week by hours; beside Prometheus.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>

#include "batches.h"
#include "stored_size.h"
#include "support/measure.h"
#include "support/stoker_server.h"
#include "writers.h"

namespace bench {
namespace {

struct Options {
  std::string program = own_folder() + "/../src/stoker";
  std::string folder = "/var/tmp/stoker-points-bench";
  int connections = 16, groups = 10;
  double seconds = 20, warm_up = 2;
  bool peers = true;
};

constexpr int kDays = 7;
constexpr int kReads = 20;
constexpr Seconds kPatience{60};

std::int64_t now_s() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void print_rate(const char* name, const Measured& measured) {
  fmt::print("{:<12} {:>9.0f} points/s  p50 {:.1f} ms  p99 {:.1f} ms  load {:.2f}  server {:.2f} cores  {:.2f} us/point\n",
             name, measured.message_rate(), ms(measured.outcome.latency.quantile(0.5)),
             ms(measured.outcome.latency.quantile(0.99)), measured.own_cpu, measured.server_cpu,
             measured.server_us() / kBatchPoints);
}

template <class Writer>
std::vector<Connection> connect_writers(const Options& options, unsigned short port, Writer make) {
  std::vector<Connection> connections;
  const int count = std::min(options.connections, options.groups);
  for (int i = 0; i < count; ++i) {
    // Times run ahead of the clock; they must not reach it.
    const Share share{i, count, options.groups, now_s() - 9000};
    connections.emplace_back(connect_to(port), make(share));
  }
  return connections;
}

Histogram read_week(const Endpoint& endpoint, std::int64_t week) {
  Histogram latency;
  for (int i = 0; i < kReads; ++i) {
    const int connection = connect_to(endpoint.port);
    const auto began = std::chrono::steady_clock::now();
    run_alone(connection, week_reader(endpoint, week, kDays));
    latency.add(std::chrono::steady_clock::now() - began);
  }
  return latency;
}

struct StokerResult {
  Measured write;
  double bytes_per_point = 0;
  double week_ms = 0;
};

StokerResult run_stoker(const Options& options) {
  const std::string folder = options.folder + "/stoker";
  StokerResult result;
  {
    StokerServer server(options.program, folder);
    const std::int64_t week = (now_s() - kDays * 86400) / 3600 * 3600;
    run_alone(connect_to(server.endpoint().port), backfill_writer(server.endpoint(), week, kDays * 86400));
    auto writers = connect_writers(options, server.endpoint().port, [&](const Share& share) {
      return stoker_writer(server.endpoint(), share);
    });
    result.write = measure_load([&] { return run_load(writers, Seconds(options.warm_up), Seconds(options.seconds)); },
                                [&] { return server.cpu(); });
    print_rate("stoker", result.write);
    result.week_ms = ms(read_week(server.endpoint(), week).quantile(0.5));
    fmt::print("{:<12} {:.1f} ms (p50 of {}) for {} days of one-second points by hours\n", "stoker", result.week_ms, kReads, kDays);
    fmt::print("{:<12} peak memory {} MiB\n", "stoker", server.peak_memory() >> 20);
    server.stop();
  }
  const StoredSize stored = stored_size(folder + "/data");
  result.bytes_per_point = stored.bytes_per_point();
  fmt::print("{:<12} {:.2f} bytes/point in {} blocks of {:.0f} points; {} points not sealed yet\n", "stoker",
             result.bytes_per_point, stored.blocks, stored.points_per_block(), stored.journal_points);
  return result;
}

std::uint64_t folder_bytes(const std::string& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

std::optional<Measured> run_prometheus(const Options& options) {
  const std::string program = find_program("prometheus");
  if (program.empty()) {
    fmt::print("prometheus is not installed: bench/setup.sh\n");
    return std::nullopt;
  }
  const std::string folder = options.folder + "/prometheus";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/config.yml") << "global: {scrape_interval: 1h}\n";
  const unsigned short port = free_port();
  Process process({{program, "--config.file=" + folder + "/config.yml", "--storage.tsdb.path=" + folder + "/data",
                    "--web.listen-address=127.0.0.1:" + std::to_string(port), "--web.enable-remote-write-receiver",
                    "--log.level=error"},
                   {},
                   folder + "/log"});
  if (!wait_for_port(port, kPatience)) throw std::runtime_error("prometheus does not listen");
  auto writers = connect_writers(options, port, [&](const Share& share) { return prometheus_writer(port, share); });
  const Measured measured = measure_load(
      [&] { return run_load(writers, Seconds(options.warm_up), Seconds(options.seconds)); }, [&] { return process.cpu(); });
  print_rate("prometheus", measured);
  fmt::print("{:<12} {:.2f} bytes/point in its data folder: the write-ahead log and the first chunks\n", "prometheus",
             static_cast<double>(folder_bytes(folder + "/data")) / static_cast<double>(measured.outcome.messages));
  process.stop(kPatience);
  return measured;
}

void run(const Options& options) {
  std::filesystem::remove_all(options.folder);
  std::filesystem::create_directories(options.folder);
  fmt::print("{} series, batches of {}, {} connections, {} s\n", options.groups * kBatchPoints, kBatchPoints,
             options.connections, options.seconds);
  const StokerResult stoker = run_stoker(options);
  const auto prometheus = options.peers ? run_prometheus(options) : std::nullopt;
  const double rate = stoker.write.message_rate();
  print_target("durable points/s", ">= 300000", text("%.0f", rate), rate >= 300000);
  print_target("bytes per sealed point", "<= 2", text("%.2f", stoker.bytes_per_point), stoker.bytes_per_point <= 2);
  print_target("a week of seconds by hours, ms", "< 50", text("%.1f", stoker.week_ms), stoker.week_ms < 50);
  if (prometheus) fmt::print("stoker / prometheus: {:.2f}\n", rate / prometheus->message_rate());
  std::filesystem::remove_all(options.folder);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Options options;
  CLI::App app("Metric points: ingestion, size and a range query.");
  app.add_option("--program", options.program, "stoker");
  app.add_option("--folder", options.folder, "on a disk, not in memory");
  app.add_option("--connections", options.connections);
  app.add_option("--groups", options.groups, "of 1000 series");
  app.add_option("--seconds", options.seconds);
  app.add_flag("!--no-peers", options.peers, "without Prometheus");
  bool quick = false;
  app.add_flag("--quick", quick, "some seconds: checks that the benchmark works");
  CLI11_PARSE(app, argc, argv);
  if (quick) options.seconds = options.warm_up = 1;
  try {
    bench::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "points_bench: %s\n", error.what());
    std::filesystem::remove_all(options.folder);
    return 1;
  }
  return 0;
}
