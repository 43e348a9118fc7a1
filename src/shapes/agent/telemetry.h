// SPDX-License-Identifier: Apache-2.0
// The messages of the telemetry session, in the spelling of ECS's agent protocol.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/traits.h"

namespace shapes::agent {

struct CWStatsSet {
  std::optional<double> min;
  std::optional<double> max;
  std::optional<double> sum;
  std::optional<std::int64_t> sampleCount;
};
BOOST_DESCRIBE_STRUCT(CWStatsSet, (), (min, max, sum, sampleCount))

struct ContainerMetric {
  std::string containerName;
  std::optional<CWStatsSet> cpuStatsSet;
  std::optional<CWStatsSet> memoryStatsSet;
};
BOOST_DESCRIBE_STRUCT(ContainerMetric, (), (containerName, cpuStatsSet, memoryStatsSet))

struct TaskMetric {
  std::string taskArn;
  std::vector<ContainerMetric> containerMetrics;
};
BOOST_DESCRIBE_STRUCT(TaskMetric, (), (taskArn, containerMetrics))

struct PublishMetadata {
  std::string cluster;
  std::string containerInstance;
  std::string messageId;
  std::optional<bool> idle;
  std::optional<bool> fin;
};
BOOST_DESCRIBE_STRUCT(PublishMetadata, (), (cluster, containerInstance, messageId, idle, fin))

struct PublishMetricsRequest {
  PublishMetadata metadata;
  std::vector<TaskMetric> taskMetrics;
};
BOOST_DESCRIBE_STRUCT(PublishMetricsRequest, (), (metadata, taskMetrics))

struct ContainerHealth {
  std::string containerName;
  std::string healthStatus;  // HEALTHY, UNHEALTHY, UNKNOWN
};
BOOST_DESCRIBE_STRUCT(ContainerHealth, (), (containerName, healthStatus))

struct TaskHealth {
  std::string taskArn;
  std::vector<ContainerHealth> containers;
};
BOOST_DESCRIBE_STRUCT(TaskHealth, (), (taskArn, containers))

struct PublishHealthRequest {
  PublishMetadata metadata;
  std::vector<TaskHealth> tasks;
};
BOOST_DESCRIBE_STRUCT(PublishHealthRequest, (), (metadata, tasks))

struct InstanceStatus {
  std::string type;    // ContainerRuntime
  std::string status;  // OK, IMPAIRED, INSUFFICIENT_DATA, INITIALIZING
};
BOOST_DESCRIBE_STRUCT(InstanceStatus, (), (type, status))

struct PublishInstanceStatusRequest {
  std::vector<InstanceStatus> statuses;
};
BOOST_DESCRIBE_STRUCT(PublishInstanceStatusRequest, (), (statuses))

struct AckPublishMetric {
  std::optional<std::string> message;
};
BOOST_DESCRIBE_STRUCT(AckPublishMetric, (), (message))

struct AckPublishHealth {
  std::optional<std::string> message;
};
BOOST_DESCRIBE_STRUCT(AckPublishHealth, (), (message))

}  // namespace shapes::agent
