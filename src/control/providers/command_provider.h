// SPDX-License-Identifier: Apache-2.0
// Machines that an operator's commands start and stop: wake-on-LAN, IPMI, the command line of a cloud. docs/providers.md
// has the contract.
#pragma once

#include <map>
#include <string>

#include "base/time.h"
#include "control/providers/instance_provider.h"

namespace control::providers {

inline constexpr int kStartAttempts = 3;
// Ends a status command whose machine is gone; as of init scripts, "program is not running".
inline constexpr int kGoneStatus = 3;
inline constexpr std::size_t kMaxIdentity = 1024;

struct CommandSettings {
  std::string start, stop, status;  // for /bin/sh; status may be ""
  std::string join, ca_file;
  base::Duration timeout = std::chrono::minutes(5);
  base::Duration retry = std::chrono::seconds(2);          // after the first failed start; doubles
  base::Duration status_every = std::chrono::seconds(30);  // only where there is a status command
};

class CommandProvider final : public InstanceProvider {
 public:
  explicit CommandProvider(CommandSettings settings) : settings_(std::move(settings)) {}

  std::string_view name() const override { return "command"; }
  bool counts_holdings() const override { return false; }
  bool wants_user_data() const override { return true; }
  boost::asio::awaitable<base::Result<Started>> start(Machine machine) override;
  boost::asio::awaitable<MachineEvent> watch(Machine machine) override;
  boost::asio::awaitable<base::Result<Nothing>> stop(Machine machine) override;

 private:
  // STOKER_INSTANCE_ID and the others.
  std::map<std::string, std::string> variables(const Machine& machine) const;
  boost::asio::awaitable<base::Result<Started>> try_start(Machine machine);

  const CommandSettings settings_;
};

}  // namespace control::providers
