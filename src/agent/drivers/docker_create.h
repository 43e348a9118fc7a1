// SPDX-License-Identifier: Apache-2.0
// Builds the engine's create request from the server's description. Pure: makes no calls.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <string>

#include "agent/drivers/docker.h"
#include "agent/drivers/driver.h"
#include "base/result.h"

namespace agent::drivers {

// Amazon's labels, by which its tools find containers, and ours.
inline constexpr std::string_view kClusterLabel = "com.amazonaws.ecs.cluster";
inline constexpr std::string_view kContainerLabel = "com.amazonaws.ecs.container-name";
inline constexpr std::string_view kTaskLabel = "com.amazonaws.ecs.task-arn";
inline constexpr std::string_view kFamilyLabel = "com.amazonaws.ecs.task-definition-family";
inline constexpr std::string_view kVersionLabel = "com.amazonaws.ecs.task-definition-version";
inline constexpr std::string_view kAgentLabel = "stoker.agent";
inline constexpr std::string_view kLogFileLabel = "stoker.log-file";  // so that a restarted agent continues it
inline constexpr std::string_view kHolderLabel = "stoker.holder";     // the name of the task's holder, if any

// The container name of the holder, the same as Amazon's.
inline constexpr std::string_view kHolderContainer = "~internal~ecs~pause";

// Members of HostConfig that belong to the network. Engines reject them for a container that joins
// another container's network.
inline constexpr std::string_view kNetworkSettings[] = {"ExtraHosts", "Dns", "DnsSearch", "DnsOptions"};

// Properties of the engine.
struct EngineFacts {
  int api_minor = 0;
  std::string architecture;  // "amd64"
  std::int64_t cpus = 0;
  bool nvidia_runtime = false;
  bool systemd_cgroups = false;
};

// What exists for the task so far.
struct TaskParts {
  std::map<std::string, std::string> containers;  // name in the task -> engine id
  std::map<std::string, std::string> volumes;     // name in the task -> a path, or a volume's name
  std::string holder;                             // of its namespaces; "" when not needed
  std::string cgroup_parent = {};                 // with the limits of the task; "" without
};

// "a1b2..." of "arn:aws:ecs:...:task/cluster/a1b2...".
std::string task_id(const std::string& task_arn);
// Replaces characters that are invalid in engine names and paths: the server's names are not trusted.
std::string name_part(std::string text);
// A unique name: "ecs-<family>-<version>-<container>-<random>".
std::string container_name(const ContainerSpec& spec);
// "label=value", as used in filters.
std::string labelled(std::string_view label, const std::string& value);
boost::json::object task_labels(const shapes::agent::Task& task, const std::string& agent_name);

// The body of the engine's create call. Fails when dockerConfig is invalid, or refers to something
// that the task does not have.
base::Result<boost::json::object> create_body(const ContainerSpec& spec, const TaskParts& parts,
                                              const DockerOptions& options, const EngineFacts& facts);

}  // namespace agent::drivers
