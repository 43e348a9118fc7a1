// SPDX-License-Identifier: Apache-2.0
// What the engine is asked to make, out of what the server said. Pure: nothing is asked here.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <string>

#include "agent/drivers/docker.h"
#include "agent/drivers/driver.h"
#include "base/result.h"

namespace agent::drivers {

// Labels: Amazon's, by which its own tools find containers, and ours.
inline constexpr std::string_view kClusterLabel = "com.amazonaws.ecs.cluster";
inline constexpr std::string_view kContainerLabel = "com.amazonaws.ecs.container-name";
inline constexpr std::string_view kTaskLabel = "com.amazonaws.ecs.task-arn";
inline constexpr std::string_view kFamilyLabel = "com.amazonaws.ecs.task-definition-family";
inline constexpr std::string_view kVersionLabel = "com.amazonaws.ecs.task-definition-version";
inline constexpr std::string_view kAgentLabel = "stoker.agent";
inline constexpr std::string_view kLogFileLabel = "stoker.log-file";  // where an agent that comes back goes on
inline constexpr std::string_view kHolderLabel = "stoker.holder";     // the name of the task's holder, if it has one

// What stands in place of a container's name for the holder: Amazon's name of its own.
inline constexpr std::string_view kHolderContainer = "~internal~ecs~pause";

// Of a HostConfig: they are a network's, and refused for a container in another's.
inline constexpr std::string_view kNetworkSettings[] = {"ExtraHosts", "Dns", "DnsSearch", "DnsOptions"};

// What the engine said of itself.
struct EngineFacts {
  int api_minor = 0;
  std::string architecture;  // "amd64"
  std::int64_t cpus = 0;
  bool nvidia_runtime = false;
};

// What has been made for the task so far.
struct TaskParts {
  std::map<std::string, std::string> containers;  // by name in the task: the engine's ids
  std::map<std::string, std::string> volumes;     // by name in the task: a path, or a volume's name
  std::string holder;                             // of its namespaces; "": it needs none
};

// "a1b2..." of "arn:aws:ecs:...:task/cluster/a1b2...".
std::string task_id(const std::string& task_arn);
// Fit to be a part of an engine's name, and of a path: what the server says is not trusted to be.
std::string name_part(std::string text);
// A name that nothing else has: "ecs-<family>-<version>-<container>-<random>".
std::string container_name(const ContainerSpec& spec);
// "label=value", as filters have it.
std::string labelled(std::string_view label, const std::string& value);
boost::json::object task_labels(const shapes::agent::Task& task, const std::string& agent_name);

// The body of the engine's create call. An error: dockerConfig is not what it should be, or
// something is named that the task does not have.
base::Result<boost::json::object> create_body(const ContainerSpec& spec, const TaskParts& parts,
                                              const DockerOptions& options, const EngineFacts& facts);

}  // namespace agent::drivers
