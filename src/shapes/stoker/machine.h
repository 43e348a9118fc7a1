// SPDX-License-Identifier: Apache-2.0
// Messages about machines that Stoker starts and stops itself: the inputs of internal operations. Spoken between
// services, and between EC2 and the instance providers, only.
#pragma once

#include <boost/describe/class.hpp>
#include <map>
#include <optional>
#include <string>

#include "wire/traits.h"

namespace shapes::stoker {

// What an instance's user data configures of its agent, as the ECS-optimized image reads it. Kept in
// state::Ec2Instance::agent_json.
struct AgentSettings {
  std::string cluster = "default";
  std::map<std::string, std::string> attributes;
  std::map<std::string, std::string> tags;       // of the container instance
  std::optional<int> reservedMemoryMib;
  std::optional<std::string> stopTimeout;        // "30s": ECS_CONTAINER_STOP_TIMEOUT
  std::optional<std::string> cleanupWait;        // "3h": ECS_ENGINE_TASK_CLEANUP_WAIT_DURATION
  std::optional<std::string> imagePull;          // "once": ECS_IMAGE_PULL_BEHAVIOR
  bool gpuDefaultRuntime = false;                // containers that request no GPU see all of them
};
BOOST_DESCRIBE_STRUCT(AgentSettings, (), (cluster, attributes, tags, reservedMemoryMib, stopTimeout, cleanupWait,
    imagePull, gpuDefaultRuntime))

// ReportMachine of EC2: what a provider has done, or found out, about an instance's machine.
struct ReportMachine {
  std::string instanceId;
  // "starting": the provider has a machine, `machine` identifies it. "started": it runs. "failed": it could not be
  // started. "stopped": it is gone, on request. "lost": it is gone without a request.
  std::string event;
  std::string machine;  // for the provider: kept as state::Ec2Instance::machine_json where it is not empty
  std::string reason;   // for people, of "failed" and "lost": "sbatch: error: invalid partition"
};
BOOST_DESCRIBE_STRUCT(ReportMachine, (), (instanceId, event, machine, reason))

// MachineJoined of EC2: the agent of an instance has registered a container instance, with ECS.
struct MachineJoined {
  std::string instanceId;
};
BOOST_DESCRIBE_STRUCT(MachineJoined, (), (instanceId))

// MachineTerminated of ECS: an EC2 instance is terminated. Its container instance is deregistered, and its tasks have
// stopped.
struct MachineTerminated {
  std::string instanceId;
};
BOOST_DESCRIBE_STRUCT(MachineTerminated, (), (instanceId))

// InstanceChanged of Auto Scaling: an EC2 instance of a group has another state, has joined, or has failed.
struct InstanceChanged {
  std::string instanceId;
  std::string group;
  std::string reason;  // why it could not be launched, or why it is gone; "" where it just has another state
};
BOOST_DESCRIBE_STRUCT(InstanceChanged, (), (instanceId, group, reason))

// MachineTerminating of ECS: a lifecycle hook of managed draining waits for this instance. ECS drains its container
// instance, then completes the action with Auto Scaling's CompleteLifecycleAction.
struct MachineTerminating {
  std::string instanceId;
  std::string group;
  std::string hook;
  std::string token;
};
BOOST_DESCRIBE_STRUCT(MachineTerminating, (), (instanceId, group, hook, token))

}  // namespace shapes::stoker
