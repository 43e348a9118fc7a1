// SPDX-License-Identifier: Apache-2.0
#include "objects/round.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <memory>

#include "base/hash.h"
#include "objects/nginx.h"
#include "objects/plain_files.h"
#include "objects/s3.h"
#include "support/stoker_server.h"

namespace bench {
namespace {

// The total size of written objects, or one object per connection: names repeat.
constexpr std::uint64_t kWrittenBytes = std::uint64_t(1) << 30;
// Read objects stay in memory: this measures the server, not the disk.
constexpr std::uint64_t kReadBytes = 64 << 20, kMostRead = 256, kLeastRead = 2;

// Bytes that cannot be compressed.
Body body_of(std::uint64_t size) {
  std::string bytes;
  for (std::uint64_t i = 0; bytes.size() < size; ++i) bytes += base::sha256(std::to_string(i));
  bytes.resize(size);
  return Body(std::move(bytes));
}

class Rounds {
 public:
  Rounds(const RoundPlan& plan, Report& report)
      : plan_(plan),
        report_(report),
        body_(body_of(plan.size)),
        server_(plan.program, plan.folder + "/stoker"),
        bucket_(server_.endpoint(), "bench"),
        files_(plan.folder + "/files", body_) {}

  void put() {
    for (int round = 0; round < plan_.rounds; ++round) {
      for (int connections : plan_.connections) {
        add("stoker", "put", connections, put_to_stoker(connections));
        if (plan_.peers) add("files", "put", connections, put_to_files(connections));
      }
    }
    report_.print_cells("put", plan_.size);
  }

  void get() {
    const Names names = {"get/", std::clamp(kReadBytes / plan_.size, kLeastRead, kMostRead)};
    std::uint64_t next = 0;
    run_alone(connect_to(bucket_.port()), bucket_.putter({names, &body_, plan_.expect_continue, &next, names.count}));
    run_alone(connect_to(bucket_.port()), bucket_.getter({names, 0, names.count, &body_, true}));
    std::unique_ptr<Nginx> nginx = start_nginx();
    if (nginx) files_.write_for_reading(names.prefix, names.count);
    for (int round = 0; round < plan_.rounds; ++round) {
      for (int connections : plan_.connections) {
        add("stoker", "get", connections, get_from(bucket_, names, connections, [&] { return server_.cpu(); }));
        if (!nginx) continue;
        const S3Bucket folder = S3Bucket::unmade(nginx->endpoint(), "bench");
        add("nginx", "get", connections, get_from(folder, names, connections, [&] { return nginx->cpu(); }));
      }
    }
    report_.print_cells("get", plan_.size);
  }

  void stop() { server_.stop(); }

 private:
  std::uint64_t names_each(int connections) const {
    return std::max<std::uint64_t>(kWrittenBytes / plan_.size / static_cast<std::uint64_t>(connections), 1);
  }

  Measured put_to_stoker(int connections) {
    std::vector<Connection> open;
    next_.resize(std::max(next_.size(), static_cast<std::size_t>(connections)));
    for (int i = 0; i < connections; ++i) {
      PutPlan put = {.names = {"put/" + std::to_string(i) + "/", names_each(connections)}, .body = &body_};
      put.expect_continue = plan_.expect_continue;
      put.next = &next_[static_cast<std::size_t>(i)];
      open.emplace_back(connect_to(bucket_.port()), bucket_.putter(put));
    }
    return measure_load([&] { return run_whole_load(open, plan_.seconds); }, [&] { return server_.cpu(); });
  }

  Measured put_to_files(int connections) {
    return measure_load([&] { return files_.write(connections, names_each(connections), plan_.seconds); },
                        [] { return Seconds(0); });
  }

  template <class Cpu>
  Measured get_from(const S3Bucket& bucket, const Names& names, int connections, Cpu cpu) {
    std::vector<Connection> open;
    for (int i = 0; i < connections; ++i) {
      GetPlan get = {.names = names, .first = static_cast<std::uint64_t>(i), .body = &body_};
      open.emplace_back(connect_to(bucket.port()), bucket.getter(get));
    }
    return measure_load([&] { return run_whole_load(open, plan_.seconds); }, cpu);
  }

  // Without nginx, or if it fails, the benchmark continues.
  std::unique_ptr<Nginx> start_nginx() {
    std::unique_ptr<Nginx> nginx;
    if (!plan_.peers) return nginx;
    try {
      nginx = std::make_unique<Nginx>(plan_.folder + "/nginx", plan_.folder + "/files");
    } catch (const std::exception& error) {
      report_.note(error.what());
    }
    return nginx;
  }

  void add(const char* subject, const char* work, int connections, const Measured& measured) {
    report_.add(Cell{subject, work, plan_.size, connections, measured});
  }

  const RoundPlan& plan_;
  Report& report_;
  Body body_;
  StokerServer server_;
  S3Bucket bucket_;
  PlainFiles files_;
  std::deque<std::uint64_t> next_;  // the next name of each connection
};

}  // namespace

void measure_size(const RoundPlan& plan, Report& report) {
  std::filesystem::remove_all(plan.folder);
  std::filesystem::create_directories(plan.folder);
  {
    Rounds rounds(plan, report);
    if (plan.put) rounds.put();
    if (plan.get) rounds.get();
    rounds.stop();
  }
  std::filesystem::remove_all(plan.folder);
}

}  // namespace bench
