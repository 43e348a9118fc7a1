// SPDX-License-Identifier: Apache-2.0
// StokerExplain, an operation of our own beside ECS's: why a task or a service does what it does, and whether a
// task definition could be placed. Spoken by the `stoker` command only.
#pragma once

#include <boost/describe/class.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "shapes/ecs/task.h"
#include "wire/traits.h"

namespace shapes::stoker {

// One of `task`, `taskDefinition` and `service`; the rest belongs to a definition, as RunTask has it.
struct StokerExplainRequest {
  std::optional<std::string> cluster;
  std::optional<std::string> task;
  std::optional<std::string> taskDefinition;
  std::optional<shapes::ecs::TaskOverride> overrides;
  std::optional<std::vector<shapes::ecs::PlacementConstraint>> placementConstraints;
  std::optional<std::vector<shapes::ecs::PlacementStrategy>> placementStrategy;
  std::optional<std::string> service;  // a name or an ARN
  // Of a task: the answer waits until its version differs from this one, or for so long.
  std::optional<std::string> knownVersion;
  std::optional<std::int32_t> waitSeconds;
};
BOOST_DESCRIBE_STRUCT(StokerExplainRequest, (), (cluster, task, taskDefinition, overrides, placementConstraints,
    placementStrategy, service, knownVersion, waitSeconds))

// The download of an image.
struct StokerPullState {
  std::string image;
  base::Time startedAt;
  std::int32_t layers = 0;           // known so far
  std::int32_t layersDone = 0;       // on the machine
  std::int32_t layersExisting = 0;   // of these, those that were there before
  std::int64_t downloadedBytes = 0;  // of the layers whose size is known
  std::int64_t totalBytes = 0;
  std::string phase;   // DOWNLOADING, EXTRACTING
  std::string detail;  // all of this as text; "" while no layer is known
};
BOOST_DESCRIBE_STRUCT(StokerPullState, (), (image, startedAt, layers, layersDone, layersExisting, downloadedBytes,
    totalBytes, phase, detail))

struct StokerTaskState {
  shapes::ecs::Task task;
  base::Time since;     // of its status
  std::string machine;  // its name to people
  bool agentConnected = false;
  std::optional<base::Time> agentSince;  // connected or away since then
  std::optional<std::vector<StokerPullState>> pulls;  // that it waits for
  std::string version;  // changes when the task or its pulls do
};
BOOST_DESCRIBE_STRUCT(StokerTaskState, (), (task, since, machine, agentConnected, agentSince, pulls, version))

struct StokerPlacement {
  std::string machine;
  std::string containerInstanceArn;
  std::vector<std::string> gpuIds;
};
BOOST_DESCRIBE_STRUCT(StokerPlacement, (), (machine, containerInstanceArn, gpuIds))

struct StokerMachineVerdict {
  std::string machine;
  std::string containerInstanceArn;
  bool fits = false;
  std::optional<std::string> reason;  // as in RunTask's failures: "RESOURCE:GPU"
  std::optional<std::string> detail;
};
BOOST_DESCRIBE_STRUCT(StokerMachineVerdict, (), (machine, containerInstanceArn, fits, reason, detail))

struct StokerExplainResponse {
  std::vector<std::string> sentences;    // for a person, what matters most first
  std::optional<StokerTaskState> state;  // of a task
  std::optional<std::string> serviceArn;  // of a service; `nearest` and `machines` are for a task that waits
  // Of a definition:
  std::optional<std::string> taskDefinitionArn;
  std::optional<StokerPlacement> placement;  // none: it can't be placed now
  std::optional<StokerMachineVerdict> nearest;
  std::optional<std::vector<StokerMachineVerdict>> machines;
  bool more = false;  // there are more machines than are told of
};
BOOST_DESCRIBE_STRUCT(StokerExplainResponse, (), (sentences, state, serviceArn, taskDefinitionArn, placement,
    nearest, machines, more))

}  // namespace shapes::stoker
