// SPDX-License-Identifier: Apache-2.0
// GPUs: a number of whole ones, all of a machine, or a share of one by NVIDIA's Multi-Process Service.
#include <fmt/format.h>

#include <algorithm>

#include "services/ecs/definitions/check_task.h"
#include "services/ecs/errors.h"

namespace services::ecs {
namespace {

using namespace shapes::ecs;

constexpr std::string_view kAll = "ALL";
constexpr std::size_t kMaxDigits = 4;  // no machine has ten thousand

bool is_count(std::string_view value) {
  return !value.empty() && value.size() <= kMaxDigits && value[0] != '0' &&
         value.find_first_not_of("0123456789") == value.npos;
}

void check_share(const SharingStrategy& strategy, const std::string& container) {
  if (!strategy.nvidiaMps) {
    throw client_error(fmt::format("The sharingStrategy of container '{}' must specify nvidiaMps.", container));
  }
  const NvidiaMps& mps = *strategy.nvidiaMps;
  if (mps.memory.value_or(0) < 1) {
    throw client_error(fmt::format(
        "The nvidiaMps sharingStrategy of container '{}' must specify a 'memory' of at least 1 MiB.", container));
  }
  const std::int32_t percent = mps.maxComputePercent.value_or(100);
  if (percent < 1 || percent > 100) {
    throw client_error(
        fmt::format("The 'maxComputePercent' setting for container '{}' must be between 1 and 100.", container));
  }
}

void check_requirement(const ResourceRequirement& requirement, const std::string& container) {
  if (requirement.type != "GPU") return;  // check_available.cc rejects the other
  if (requirement.value && requirement.sharingStrategy) {
    throw client_error(fmt::format(
        "The GPU requirement of container '{}' cannot specify both 'value' and 'sharingStrategy'.", container));
  }
  if (requirement.sharingStrategy) return check_share(*requirement.sharingStrategy, container);
  const std::string value = requirement.value.value_or("");
  if (value != kAll && !is_count(value)) {
    throw client_error(fmt::format("Invalid GPU value '{}' for container '{}'. It must be a positive integer or ALL.",
                                   value, container));
  }
}

}  // namespace

void check_gpus(const RegisterTaskDefinitionRequest& request) {
  int users = 0;
  bool all = false;
  for (const ContainerDefinition& container : request.containerDefinitions) {
    if (!container.resourceRequirements) continue;
    int requirements = 0;
    for (const ResourceRequirement& requirement : *container.resourceRequirements) {
      check_requirement(requirement, *container.name);
      if (requirement.type != "GPU") continue;
      all |= requirement.value.value_or("") == kAll;
      ++users;
      if (++requirements > 1) {
        throw client_error(
            fmt::format("Container '{}' cannot have more than one GPU resource requirement.", *container.name));
      }
    }
  }
  if (all && users > 1) throw client_error("No other container of a task can use GPUs where one has ALL of them.");
}

}  // namespace services::ecs
