// SPDX-License-Identifier: Apache-2.0
// A container instance: a machine that is registered with a cluster, and the holds on it.
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

// DRAINING can be undone; only a new registration undoes DEREGISTERING and INACTIVE.
bool may_become(InstanceStatus from, InstanceStatus to);

// The value is optional.
using Attributes = std::map<std::string, std::optional<std::string>>;

struct Instance {
  InstanceId id;
  std::int64_t number = 0;      // its row number
  std::string ec2_instance_id;  // also the machine's display name: "i-0abc" or "box-a"
  InstanceStatus status = InstanceStatus::Active;
  bool agent_connected = false;
  std::string trouble;  // why it accepts no tasks: "its disk is full: ..."; "" for a healthy machine
  std::string agent_version;
  base::Time registered_at{};
  Attributes attributes;  // the instance type is one: ecs.instance-type
  std::string capacity_provider;  // "": it belongs to none
  std::string zone, architecture;  // copies of two attributes that every task reports
  Resources total;
};

// One GPU, or a share of it, that a container holds.
struct GpuHold {
  GpuId gpu;
  std::string container;
  std::int64_t shared_memory_mib = 0;  // 0: the whole GPU
  bool operator==(const GpuHold&) const = default;
};

// The resources that a task holds on its instance until it has STOPPED, and its labels there.
struct TaskHold {
  TaskId task;
  std::string group, started_by;
  bool running = false;  // false: not yet
  // Desired status STOPPED: it keeps its resources, but no longer counts for distinctInstance, spread and task:group.
  // Amazon: "ECS looks at the desired status of the tasks".
  bool stopping = false;
  std::int64_t cpu = 0;
  std::int64_t memory_mib = 0;
  Ports ports;
  int dynamic_ports = 0;
  std::vector<GpuHold> gpus;
  bool operator==(const TaskHold&) const = default;
};

}  // namespace model
