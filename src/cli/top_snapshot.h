// SPDX-License-Identifier: Apache-2.0
// What `stoker top` shows, at one time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "cli/commands.h"
#include "cli/queue_client.h"

namespace cli {

class ClusterClient;
class JobClient;

struct TopMachine {
  std::string name;
  std::string state;  // ACTIVE, DRAINING, LOST
  std::int64_t tasks = 0, pending = 0;
  std::int64_t cpu_used = 0, cpu_total = 0;  // units
  std::int64_t memory_used_mib = 0, memory_total_mib = 0;
  std::int64_t gpus_used = 0, gpus_total = 0;
};

struct TopGpu {
  std::string machine;
  std::int32_t index = 0;
  std::string model;
  bool healthy = true;
  std::optional<std::int64_t> utilization_percent, memory_used_mib;
  std::int64_t memory_total_mib = 0;
  std::string held_by;  // "": nobody
};

struct TopPipeline {
  std::string name;
  bool paused = false;
  std::int64_t queued = 0, running = 0, succeeded = 0, failed = 0;
  std::int64_t workers = 0, max = 0;
  std::optional<double> items_per_second;  // over the last seconds

  std::int64_t finished() const { return succeeded + failed; }
};

struct TopSnapshot {
  base::Time now;
  std::string endpoint;
  std::string cluster;
  std::vector<TopMachine> machines;
  std::vector<TopGpu> gpus;
  std::vector<QueueCounts> queues;
  std::vector<TopPipeline> pipelines;
  std::string trouble;  // why a part is missing; "": none is
};

// Items that were finished at some times, to compute rates.
class TopRates {
 public:
  static constexpr base::Duration kWindow = std::chrono::seconds(5);

  // Sets items_per_second of each pipeline that was seen before.
  void add_to(TopSnapshot& snapshot);

 private:
  struct Count {
    base::Time at;
    std::int64_t finished = 0;
  };
  std::map<std::string, std::deque<Count>> counts_;
};

// Reads snapshots. A part that can't be read is left out, and `trouble` names the reason.
class TopReader {
 public:
  explicit TopReader(const Options& options);
  ~TopReader();

  TopSnapshot read(base::Time now);

 private:
  std::vector<TopMachine> machines();
  std::vector<TopGpu> gpus();
  std::vector<QueueCounts> queues(base::Time now);
  std::vector<TopPipeline> pipelines();

  std::unique_ptr<ClusterClient> cluster_;
  std::unique_ptr<QueueClient> queues_;
  std::unique_ptr<JobClient> jobs_;
  std::unique_ptr<client::Client> pipelines_;
  TopRates rates_;
};

}  // namespace cli
