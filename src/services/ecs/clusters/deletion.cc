// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/clusters/deletion.h"

#include "wire/error.h"

namespace services::ecs {

void check_deletable(const state::ClusterContents& contents) {
  if (contents.instances > 0) {
    throw wire::ApiError("ClusterContainsContainerInstancesException",
                         "The Cluster cannot be deleted while Container Instances are active or draining.");
  }
  if (contents.active_services + contents.draining_services > 0) {
    throw wire::ApiError("ClusterContainsServicesException",
                         "The Cluster cannot be deleted while Services are active.");
  }
  if (contents.tasks > 0) {
    throw wire::ApiError("ClusterContainsTasksException", "The Cluster cannot be deleted while Tasks are active.");
  }
}

}  // namespace services::ecs
