// SPDX-License-Identifier: Apache-2.0
// StokerListGpus, an operation of our own beside ECS's: every GPU of a cluster, and who holds it.
// Spoken by the `stoker` command only.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/traits.h"

namespace shapes::stoker {

struct StokerListGpusRequest {
  std::optional<std::string> cluster;
  std::optional<std::int32_t> maxResults;  // machines on a page
  std::optional<std::string> nextToken;
};
BOOST_DESCRIBE_STRUCT(StokerListGpusRequest, (), (cluster, maxResults, nextToken))

struct StokerGpuHolder {
  std::string taskArn;
  std::string containerName;
  std::optional<std::int64_t> sharedMemoryInMiB;  // none: all of it
  std::string group;
};
BOOST_DESCRIBE_STRUCT(StokerGpuHolder, (), (taskArn, containerName, sharedMemoryInMiB, group))

struct StokerGpuState {
  std::string gpuId;
  std::int32_t index = 0;  // on its machine, as the driver counts
  std::string machine;
  std::string containerInstanceArn;
  std::string model;                  // "": its agent does not say
  std::int64_t totalMemoryInMiB = 0;  // 0: its agent does not say
  bool healthy = true;
  std::optional<std::string> trouble;
  std::string sharingMode;  // IDLE, DEDICATED, NVIDIA_MPS
  std::int64_t remainingMemoryInMiB = 0;
  // Where its agent is connected.
  std::optional<std::int32_t> utilizationPercent;
  std::optional<std::int64_t> memoryUsedInMiB;
  std::optional<std::int32_t> temperatureCelsius;
  std::optional<double> powerWatts;
  std::vector<StokerGpuHolder> holders;
};
BOOST_DESCRIBE_STRUCT(StokerGpuState, (), (gpuId, index, machine, containerInstanceArn, model, totalMemoryInMiB,
    healthy, trouble, sharingMode, remainingMemoryInMiB, utilizationPercent, memoryUsedInMiB, temperatureCelsius,
    powerWatts, holders))

struct StokerListGpusResponse {
  std::vector<StokerGpuState> gpus;
  std::optional<std::string> nextToken;
};
BOOST_DESCRIBE_STRUCT(StokerListGpusResponse, (), (gpus, nextToken))

}  // namespace shapes::stoker
