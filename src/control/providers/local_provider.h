// SPDX-License-Identifier: Apache-2.0
// Machines that are agents on this machine: each owns a slice of the pool. An agent is a process of its own, survives
// the server, and ends with all of its tasks.
#pragma once

#include <string>

#include "control/providers/instance_provider.h"
#include "control/providers/process_identity.h"

namespace control::providers {

struct LocalSettings {
  std::string program = "/proc/self/exe";
  std::string join, ca_file;
  std::string driver = "auto";
  std::string gpu_source = "auto";  // of the pool's GPUs: "auto", "fake:8xV100@box-pool"
  Pool pool;
  std::chrono::seconds shutdown_timeout{30};
};

class LocalProvider final : public InstanceProvider {
 public:
  explicit LocalProvider(LocalSettings settings) : settings_(std::move(settings)) {}

  std::string_view name() const override { return "local"; }
  base::Result<Slice> reserve(const model::InstanceType& type, const std::vector<Holding>& held) const override;
  boost::asio::awaitable<base::Result<Started>> start(Machine machine) override;
  boost::asio::awaitable<MachineEvent> watch(Machine machine) override;
  boost::asio::awaitable<base::Result<Nothing>> stop(Machine machine) override;

 private:
  std::vector<std::string> words_of(const Machine& machine) const;
  std::optional<ProcessIdentity> find_agent(const Machine& machine) const;
  boost::asio::awaitable<base::Result<Nothing>> clean_up(Machine machine);

  const LocalSettings settings_;
};

}  // namespace control::providers
