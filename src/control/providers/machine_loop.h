// SPDX-License-Identifier: Apache-2.0
// Makes machines follow the rows of EC2 instances: starts them, watches them and stops them with a provider, and reports
// to EC2. All that matters is in the rows, so whatever a crash interrupts is continued after the next start.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "api/engine.h"
#include "api/loops.h"
#include "control/providers/coroutine_set.h"
#include "control/providers/instance_provider.h"
#include "control/providers/machine_step.h"
#include "http/io_threads.h"

namespace control::providers {

// At the same time. A start is short; a stop takes as long as the machine's tasks.
inline constexpr std::size_t kMaxStarts = 8, kMaxStops = 64;

struct MachineLoopSettings {
  std::string folder;  // has a folder for each machine
  model::InstanceTypes types;
};

class MachineLoop {
 public:
  // Both outlive it.
  MachineLoop(http::IoThreads& io, api::Engine& engine, std::unique_ptr<InstanceProvider> provider,
              MachineLoopSettings settings);
  // Cancels the work under way. Machines go on. The loop has ended before.
  ~MachineLoop();

  api::Loop loop();

 private:
  boost::asio::awaitable<std::optional<base::Time>> turn();
  boost::asio::awaitable<std::optional<base::Time>> turn_at_home();
  void remove_old_folders(const std::vector<state::Ec2Instance>& instances);
  void dispatch(const state::Ec2Instance& instance);
  void begin(const std::string& id, Step step);
  void forget_retries(const std::vector<state::Ec2Instance>& instances);
  std::optional<base::Time> next_retry() const;

  // A step that fails is repeated after a pause.
  boost::asio::awaitable<void> act(std::string id, Step step);
  void postpone(const std::string& id, const std::string& error);
  boost::asio::awaitable<void> start(std::string id);
  boost::asio::awaitable<base::Result<Nothing>> stop(std::string id);
  boost::asio::awaitable<void> watch(std::string id);
  // Returns once nothing is left of a machine that ended by itself.
  boost::asio::awaitable<void> end(Machine machine, std::string reason);

  // In a transaction: reserves what the machine needs and creates its key, unless an interrupted start has done so.
  // Nothing where there is nothing to start any more; a launch that fails is reported.
  std::optional<Machine> reserve(services::Call& call, const std::string& id) const;
  std::vector<Holding> holdings(services::Call& call, const std::string& without) const;
  std::optional<Machine> find(services::Call& call, const std::string& id) const;
  Machine machine_of(services::Call& call, state::Ec2Instance instance) const;
  boost::asio::awaitable<std::optional<Machine>> read(std::string id);

  http::IoThreads& io_;
  api::Engine& engine_;
  const std::unique_ptr<InstanceProvider> provider_;
  const MachineLoopSettings settings_;
  const boost::asio::any_io_executor home_;  // everything below is used on its thread only

  CoroutineSet actions_, watches_;  // by instance; actions are starts, stops and ends
  std::size_t starts_ = 0, stops_ = 0;
  bool first_turn_ = true;
  // Identities of machines that this server started: the record lacks it where the report was not stored.
  std::map<std::string, std::string> identities_;
  // Actions that failed, and when they are repeated.
  struct Retry {
    base::Time at;
    int failures = 0;
  };
  std::map<std::string, Retry> retries_;
  std::set<std::string> foreign_;  // machines of another provider, logged once
};

}  // namespace control::providers
