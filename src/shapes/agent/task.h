// SPDX-License-Identifier: Apache-2.0
// A task as the server hands it to a machine's agent, in the spelling of ECS's agent protocol.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "wire/traits.h"

namespace shapes::agent {

struct Credentials {
  std::string credentialsId;
  std::optional<std::string> roleArn;
  std::string accessKeyId;
  std::string secretAccessKey;
  std::string sessionToken;
  std::string expiration;  // RFC 3339
  bool operator==(const Credentials&) const = default;
};
BOOST_DESCRIBE_STRUCT(Credentials, (), (credentialsId, roleArn, accessKeyId, secretAccessKey, sessionToken, expiration))

struct PortMapping {
  std::int32_t containerPort = 0;
  std::int32_t hostPort = 0;  // 0: the agent's choice
  std::string protocol = "tcp";
  std::optional<std::string> containerPortRange;
  bool operator==(const PortMapping&) const = default;
};
BOOST_DESCRIBE_STRUCT(PortMapping, (), (containerPort, hostPort, protocol, containerPortRange))

struct MountPoint {
  std::string sourceVolume;
  std::string containerPath;
  std::optional<bool> readOnly;
  bool operator==(const MountPoint&) const = default;
};
BOOST_DESCRIBE_STRUCT(MountPoint, (), (sourceVolume, containerPath, readOnly))

struct VolumeFrom {
  std::string sourceContainer;
  std::optional<bool> readOnly;
  bool operator==(const VolumeFrom&) const = default;
};
BOOST_DESCRIBE_STRUCT(VolumeFrom, (), (sourceContainer, readOnly))

struct Dependency {
  std::string containerName;
  std::string condition;  // START, COMPLETE, SUCCESS, HEALTHY
  bool operator==(const Dependency&) const = default;
};
BOOST_DESCRIBE_STRUCT(Dependency, (), (containerName, condition))

// Bodies of the Docker Engine API's container-create call, as JSON in strings. What has no
// member of its own in Container travels here: log driver, health check, ulimits, user, ...
struct DockerConfig {
  std::optional<std::string> version;
  std::optional<std::string> config;
  std::optional<std::string> hostConfig;
  bool operator==(const DockerConfig&) const = default;
};
BOOST_DESCRIBE_STRUCT(DockerConfig, (), (version, config, hostConfig))

struct RestartPolicy {
  bool enabled = false;
  std::optional<std::vector<std::int32_t>> ignoredExitCodes;
  std::optional<std::int32_t> restartAttemptPeriod;
  bool operator==(const RestartPolicy&) const = default;
};
BOOST_DESCRIBE_STRUCT(RestartPolicy, (), (enabled, ignoredExitCodes, restartAttemptPeriod))

// Type s3: the ARN of an object that has lines of NAME=VALUE.
struct EnvironmentFile {
  std::string type;
  std::string value;
  bool operator==(const EnvironmentFile&) const = default;
};
BOOST_DESCRIBE_STRUCT(EnvironmentFile, (), (type, value))

// Runs beside a container's own process: "ExecuteCommandAgent".
struct ManagedAgent {
  std::string name;
  bool operator==(const ManagedAgent&) const = default;
};
BOOST_DESCRIBE_STRUCT(ManagedAgent, (), (name))

struct Container {
  std::string name;
  std::string image;
  std::optional<std::vector<std::string>> command;
  std::optional<std::vector<std::string>> entryPoint;
  std::map<std::string, std::string> environment;
  std::vector<EnvironmentFile> environmentFiles;
  bool essential = true;
  std::int64_t cpu = 0;
  std::int64_t memory = 0;  // MiB, the hard limit; 0: none
  std::vector<PortMapping> portMappings;
  std::vector<MountPoint> mountPoints;
  std::vector<VolumeFrom> volumesFrom;
  std::vector<std::string> links;
  std::vector<Dependency> dependsOn;
  std::optional<std::int32_t> startTimeout;
  std::optional<std::int32_t> stopTimeout;
  std::optional<bool> privileged;
  std::optional<std::string> healthCheckType;  // "docker"
  std::optional<RestartPolicy> restartPolicy;
  std::string containerArn;
  std::optional<std::vector<ManagedAgent>> managedAgents;
  std::optional<std::string> overrides;  // JSON: {"command": [...], "environment": {...}}
  std::optional<std::string> logsAuthStrategy;  // "ExecutionRole": its credentials send the log
  DockerConfig dockerConfig;
  bool operator==(const Container&) const = default;
};
BOOST_DESCRIBE_STRUCT(Container, (), (name, image, command, entryPoint, environment, environmentFiles, essential, cpu,
    memory, portMappings, mountPoints, volumesFrom, links, dependsOn, startTimeout, stopTimeout, privileged,
    healthCheckType, restartPolicy, containerArn, managedAgents, overrides, logsAuthStrategy,
    dockerConfig))

struct HostPath {
  std::optional<std::string> sourcePath;  // none: a folder of the task's own
  bool operator==(const HostPath&) const = default;
};
BOOST_DESCRIBE_STRUCT(HostPath, (), (sourcePath))

struct DockerVolume {
  std::optional<std::string> scope;  // task, shared
  std::optional<bool> autoprovision;
  std::optional<std::string> driver;
  std::optional<std::map<std::string, std::string>> driverOpts;
  std::optional<std::map<std::string, std::string>> labels;
  bool operator==(const DockerVolume&) const = default;
};
BOOST_DESCRIBE_STRUCT(DockerVolume, (), (scope, autoprovision, driver, driverOpts, labels))

struct Volume {
  std::string name;
  std::optional<std::string> type;  // "host" or "docker"
  std::optional<HostPath> host;
  std::optional<DockerVolume> dockerVolumeConfiguration;
  bool operator==(const Volume&) const = default;
};
BOOST_DESCRIBE_STRUCT(Volume, (), (name, type, host, dockerVolumeConfiguration))

struct AssociationContent {
  std::string encoding = "base64";
  std::string value;
  bool operator==(const AssociationContent&) const = default;
};
BOOST_DESCRIBE_STRUCT(AssociationContent, (), (encoding, value))

// A GPU in the hands of containers: type "gpu", name "GPU-<uuid>".
struct Association {
  std::string type;
  std::string name;
  std::vector<std::string> containers;
  AssociationContent content;
  bool operator==(const Association&) const = default;
};
BOOST_DESCRIBE_STRUCT(Association, (), (type, name, containers, content))

// Ours: a share of a GPU. Without it an associated GPU is whole.
struct GpuShare {
  std::string container;
  std::string gpuId;
  std::int64_t memoryInMiB = 0;
  std::optional<std::int32_t> maxComputePercent;
  bool operator==(const GpuShare&) const = default;
};
BOOST_DESCRIBE_STRUCT(GpuShare, (), (container, gpuId, memoryInMiB, maxComputePercent))

// Ours: the S3 that this task's objects are in, where that is not the server's own. No keys
// travel: each environment file that the account may read has a presigned URL.
struct Objects {
  std::string endpoint;
  std::string region;
  std::map<std::string, std::string> fileUrls;  // by ARN
  bool operator==(const Objects&) const = default;
};
BOOST_DESCRIBE_STRUCT(Objects, (), (endpoint, region, fileUrls))

struct Task {
  std::string arn;
  std::string taskClusterArn;
  std::string family;
  std::string version;        // the revision
  std::string desiredStatus;  // RUNNING or STOPPED
  std::optional<std::string> overrides;
  std::vector<Container> containers;
  std::vector<Volume> volumes;
  std::optional<double> cpu;           // vCPU, of the whole task
  std::optional<std::int64_t> memory;  // MiB, of the whole task
  std::optional<std::string> networkMode;
  std::optional<std::string> pidMode;
  std::optional<std::string> ipcMode;
  std::string launchType;
  std::optional<std::string> group;
  std::optional<std::string> serviceName;
  std::optional<Credentials> roleCredentials;
  std::optional<Credentials> executionRoleCredentials;
  std::vector<Association> associations;
  std::optional<std::vector<GpuShare>> stokerGpuShares;
  std::optional<Objects> stokerObjects;
  bool operator==(const Task&) const = default;
};
BOOST_DESCRIBE_STRUCT(Task, (), (arn, taskClusterArn, family, version, desiredStatus, overrides, containers, volumes,
    cpu, memory, networkMode, pidMode, ipcMode, launchType, group, serviceName, roleCredentials,
    executionRoleCredentials, associations, stokerGpuShares, stokerObjects))

}  // namespace shapes::agent
