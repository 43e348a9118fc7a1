// SPDX-License-Identifier: Apache-2.0
// Machines that are batch jobs of a Slurm cluster: each runs an agent with the job's resources.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "control/providers/instance_provider.h"
#include "control/providers/slurm_queue.h"

namespace control::providers {

struct SlurmSettings {
  std::string program;  // stoker, on the nodes
  std::string join, ca_file;
  std::string driver = "auto";
  std::string gpus = "auto";  // of a node: "auto", "fake:8xV100"
  std::vector<std::string> options;  // of sbatch, such as "--partition=gpu"
  base::Duration timeout = std::chrono::minutes(5);
  // Slurm announces nothing, so its queue is read while there are jobs: for jobs that run, and for jobs that wait or
  // end. A machine does not wait for this: its agent joins by itself.
  base::Duration poll = std::chrono::seconds(10), poll_soon = std::chrono::seconds(1);
  // Less than Slurm's KillWait of 30 seconds, after which it kills the agent.
  std::chrono::seconds shutdown_timeout{15};
};

class SlurmProvider final : public InstanceProvider {
 public:
  explicit SlurmProvider(SlurmSettings settings) : settings_(std::move(settings)) {}

  std::string_view name() const override { return "slurm"; }
  bool counts_holdings() const override { return false; }
  boost::asio::awaitable<base::Result<Started>> start(Machine machine) override;
  boost::asio::awaitable<MachineEvent> watch(Machine machine) override;
  boost::asio::awaitable<base::Result<Nothing>> stop(Machine machine) override;

 private:
  using Jobs = std::map<std::string, SlurmJob>;

  std::vector<std::string> submit_words(const Machine& machine) const;
  std::string script_of(const Machine& machine) const;
  // All jobs of the queue, by id, at most `age` old: all machines share one reading.
  boost::asio::awaitable<base::Result<Jobs>> jobs(base::Duration age);
  boost::asio::awaitable<base::Result<std::string>> job_of(Machine machine);

  const SlurmSettings settings_;
  base::SystemClock clock_;
  Jobs last_jobs_;
  std::optional<base::Time> read_at_;
  std::uint64_t submissions_ = 0;
};

}  // namespace control::providers
