// SPDX-License-Identifier: Apache-2.0
// Measures puts and gets of objects: Stoker, plain files, and nginx.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "objects/huge.h"
#include "objects/listing.h"
#include "objects/report.h"
#include "objects/round.h"

namespace bench {
namespace {

struct Options {
  double seconds = 1;
  int rounds = 3;
  std::vector<std::uint64_t> sizes = {4 << 10, 64 << 10, 1 << 20, 64 << 20};
  std::vector<int> connections = {1, 16, 64};
  std::vector<std::string> only;
  std::uint64_t keys = 1000000, huge_mib = 10240;
  bool quick = false, peers = true, expect_continue = false;
  std::string json, stoker, folder;

  bool wants(const std::string& what) const {
    return only.empty() || std::find(only.begin(), only.end(), what) != only.end();
  }
};

void parse(CLI::App& app, Options& options) {
  options.stoker = std::filesystem::path(own_folder() + "/../src/stoker").lexically_normal();
  options.folder = own_folder() + "/objects-data-" + std::to_string(::getpid());
  app.add_option("--seconds", options.seconds, "How long each load goes on, at least")->capture_default_str();
  app.add_option("--rounds", options.rounds, "Rounds; the median counts")->capture_default_str();
  app.add_option("--sizes", options.sizes, "Sizes of objects: 4KiB,1MiB")
      ->delimiter(',')
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--connections", options.connections, "Numbers of connections")->delimiter(',')->capture_default_str();
  app.add_option("--only", options.only, "Of put, get, list, huge")
      ->delimiter(',')
      ->check(CLI::IsMember({"put", "get", "list", "huge"}));
  app.add_option("--keys", options.keys, "Keys in the bucket that is listed; 0 for none")->capture_default_str();
  app.add_option("--huge", options.huge_mib, "MiB of the object that memory is watched with; 0 for none")
      ->capture_default_str();
  app.add_flag("--expect", options.expect_continue, "Wait for 100 Continue before a body, as botocore does");
  app.add_flag("!--no-peers", options.peers, "Leave plain files and nginx out");
  app.add_flag("--quick", options.quick, "A smoke run of some seconds");
  app.add_option("--json", options.json, "Write all numbers to this file");
  app.add_option("--stoker", options.stoker, "The program to measure")->capture_default_str();
  app.add_option("--folder", options.folder, "For the servers' data; made, and removed in the end")
      ->capture_default_str();
}

void make_quick(Options& options) {
  options.seconds = 0.05;
  options.rounds = 1;
  options.sizes = {4 << 10, 64 << 10, 1 << 20};
  options.connections = {1, 16};
  options.keys = 2500;
  options.huge_mib = 20;
}

void run(const Options& options) {
  Report report;
  std::printf("%d cores; load and server are the cores that each used\n",
              static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
  report.heading();
  RoundPlan plan;
  plan.program = options.stoker;
  plan.folder = options.folder + "/rounds";
  plan.connections = options.connections;
  plan.seconds = Seconds(options.seconds);
  plan.rounds = options.rounds;
  plan.put = options.wants("put");
  plan.get = options.wants("get");
  plan.peers = options.peers;
  plan.expect_continue = options.expect_continue;
  for (std::uint64_t size : options.sizes) {
    plan.size = size;
    if (plan.put || plan.get) measure_size(plan, report);
  }
  if (options.keys > 0 && options.wants("list")) {
    report.add(measure_listing({options.stoker, options.folder + "/listing", options.keys}));
  }
  if (options.huge_mib > 0 && options.wants("huge")) {
    report.add(measure_huge({options.stoker, options.folder + "/huge", options.huge_mib << 20}));
  }
  report.print_summary();
  if (!options.json.empty()) report.write_json(options.json);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Options options;
  CLI::App app("Measures Stoker's objects beside plain files and nginx.", "objects_bench");
  bench::parse(app, options);
  CLI11_PARSE(app, argc, argv);
  if (options.quick) bench::make_quick(options);
  options.folder = std::filesystem::absolute(options.folder);  // servers may change their working directory
  int status = 0;
  std::filesystem::create_directories(options.folder);
  try {
    bench::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "objects_bench: %s\n", error.what());
    status = 1;
  }
  std::filesystem::remove_all(options.folder);
  return status;
}
