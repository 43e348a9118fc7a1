// SPDX-License-Identifier: Apache-2.0
// The messages of the work session, in the spelling of ECS's agent protocol. A frame's type is
// the struct's name: {"type": "PayloadMessage", "message": {...}}.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shapes/agent/task.h"

namespace shapes::agent {

struct HeartbeatMessage {
  std::string messageId;
  bool healthy = true;
};
BOOST_DESCRIBE_STRUCT(HeartbeatMessage, (), (messageId, healthy))

struct HeartbeatAckRequest {
  std::string messageId;
};
BOOST_DESCRIBE_STRUCT(HeartbeatAckRequest, (), (messageId))

struct PayloadMessage {
  std::string messageId;
  std::string clusterArn;
  std::string containerInstanceArn;
  std::int64_t generatedAt = 0;  // ms
  std::int64_t seqNum = 0;
  std::vector<Task> tasks;
};
BOOST_DESCRIBE_STRUCT(PayloadMessage, (), (messageId, clusterArn, containerInstanceArn, generatedAt, seqNum, tasks))

struct AckRequest {
  std::string messageId;
  std::optional<std::string> cluster;
  std::optional<std::string> containerInstance;
};
BOOST_DESCRIBE_STRUCT(AckRequest, (), (messageId, cluster, containerInstance))

struct IAMRoleCredentialsMessage {
  std::string messageId;
  std::string taskArn;
  std::string taskClusterArn;
  std::string roleType;  // TaskApplication, TaskExecution
  Credentials roleCredentials;
};
BOOST_DESCRIBE_STRUCT(IAMRoleCredentialsMessage, (), (messageId, taskArn, taskClusterArn, roleType, roleCredentials))

struct IAMRoleCredentialsAckRequest {
  std::string messageId;
  std::optional<std::string> expiration;
  std::optional<std::string> credentialsId;
};
BOOST_DESCRIBE_STRUCT(IAMRoleCredentialsAckRequest, (), (messageId, expiration, credentialsId))

struct TaskIdentifier {
  std::string taskArn;
  std::string taskClusterArn;
  std::string desiredStatus;
};
BOOST_DESCRIBE_STRUCT(TaskIdentifier, (), (taskArn, taskClusterArn, desiredStatus))

// All the tasks that the machine should know.
struct TaskManifestMessage {
  std::string messageId;
  std::string clusterArn;
  std::string containerInstanceArn;
  std::int64_t timeline = 0;
  std::int64_t generatedAt = 0;  // ms
  std::vector<TaskIdentifier> tasks;
};
BOOST_DESCRIBE_STRUCT(TaskManifestMessage, (), (messageId, clusterArn, containerInstanceArn, timeline, generatedAt,
    tasks))

struct TaskStopVerificationMessage {
  std::string messageId;
  std::vector<TaskIdentifier> stopCandidates;
};
BOOST_DESCRIBE_STRUCT(TaskStopVerificationMessage, (), (messageId, stopCandidates))

struct TaskStopVerificationAck {
  std::string messageId;
  std::int64_t generatedAt = 0;
  std::vector<TaskIdentifier> stopTasks;
};
BOOST_DESCRIBE_STRUCT(TaskStopVerificationAck, (), (messageId, generatedAt, stopTasks))

// The body of every exception: InactiveInstanceException, BadRequestException, ...
struct ErrorMessage {
  std::string message;
};
BOOST_DESCRIBE_STRUCT(ErrorMessage, (), (message))

}  // namespace shapes::agent
