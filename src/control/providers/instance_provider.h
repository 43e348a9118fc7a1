// SPDX-License-Identifier: Apache-2.0
// Starts and stops the machines of EC2 instances: as agents on this machine, with scripts, or as Slurm jobs. A provider
// has no state of its own: what it must remember of a machine is in the machine's record, in the instance's row.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "control/providers/machine_record.h"
#include "control/providers/pool.h"
#include "state/ec2_instance.h"

namespace control::providers {

// An instance, and its machine as its provider recorded it.
struct Machine {
  state::Ec2Instance instance;
  model::InstanceType type;
  MachineRecord record;
  std::string folder;  // for the provider's files about it, absolute
  std::string token;   // with which its agent joins; "" where its key is deleted
  std::string user_data;  // at its start, for providers that want it

  std::string token_file() const { return folder + "/token"; }
};

struct Started {
  std::string identity;  // of the machine, for its record
  bool running = true;   // false: it is on its way, and watch() returns when it runs
};

struct MachineEvent {
  enum class Kind { Running, Ended } kind = Kind::Ended;
  std::string reason = {};  // why it ended, for people
};

struct Nothing {};

// Called on one thread. Every wait can be cancelled; what was interrupted is repeated after the next start of the server.
class InstanceProvider {
 public:
  virtual ~InstanceProvider() = default;

  virtual std::string_view name() const = 0;

  virtual bool wants_user_data() const { return false; }
  // Whether reserve() needs what others hold: that costs a look at every machine for each start.
  virtual bool counts_holdings() const { return true; }

  // What the machine gets; `held` is what the other machines of this provider have, if it counts that. Without side
  // effects, and called on the store's thread.
  virtual base::Result<Slice> reserve(const model::InstanceType& type, const std::vector<Holding>& held) const {
    (void)held;
    return Slice{type.vcpus, type.memory_mib, {}};
  }

  // Starts the machine. If an interrupted start has left one, adopts that. The error is for people.
  virtual boost::asio::awaitable<base::Result<Started>> start(Machine machine) = 0;
  // Returns when a machine that was on its way runs, and when a machine has ended by itself.
  virtual boost::asio::awaitable<MachineEvent> watch(Machine machine) = 0;
  // Returns when the machine and its tasks are gone. Also for a machine that has ended, and for one whose start was
  // interrupted. After an error it is called again.
  virtual boost::asio::awaitable<base::Result<Nothing>> stop(Machine machine) = 0;
};

}  // namespace control::providers
