// SPDX-License-Identifier: Apache-2.0
// A container instance: a machine that registered with a cluster, and what is held on it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "model/resources.h"

namespace model {

enum class InstanceStatus { Registering, RegistrationFailed, Active, Draining, Deregistering, Inactive };

std::string_view text(InstanceStatus status);  // "REGISTRATION_FAILED"
std::optional<InstanceStatus> instance_status(std::string_view text);

// DRAINING and back; DEREGISTERING and INACTIVE have no way back but a new registration.
bool may_become(InstanceStatus from, InstanceStatus to);

// An attribute may have a name only.
using Attributes = std::map<std::string, std::optional<std::string>>;

struct Instance {
  InstanceId id;
  std::int64_t number = 0;      // what the database knows it by
  std::string ec2_instance_id;  // the machine's name to people, too: "i-0abc" or "box-a"
  InstanceStatus status = InstanceStatus::Active;
  bool agent_connected = false;
  std::string agent_version;
  base::Time registered_at{};
  Attributes attributes;  // the instance type is one: ecs.instance-type
  std::string zone, architecture;  // two of them, which each of its tasks shows
  Resources total;
};

// One GPU in the hands of one container.
struct GpuHold {
  GpuId gpu;
  std::string container;
  std::int64_t shared_memory_mib = 0;  // 0: the whole GPU
  bool operator==(const GpuHold&) const = default;
};

// What a task that has not STOPPED takes on its instance, and what it is known by there.
struct TaskHold {
  TaskId task;
  std::string group, started_by;
  bool running = false;  // else it is still on its way there
  // Told to stop: it keeps what it holds, but counts no more for distinctInstance, spread
  // and task:group. Amazon: "ECS looks at the desired status of the tasks".
  bool stopping = false;
  std::int64_t cpu = 0;
  std::int64_t memory_mib = 0;
  Ports ports;
  int dynamic_ports = 0;
  std::vector<GpuHold> gpus;
  bool operator==(const TaskHold&) const = default;
};

}  // namespace model
