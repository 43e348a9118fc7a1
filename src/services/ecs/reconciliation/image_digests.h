// SPDX-License-Identifier: Apache-2.0
// Version consistency: the first task of a deployment settles which version of an image a tag means.
#pragma once

#include <vector>

#include "services/ecs/reconciliation/service_snapshot.h"

namespace services::ecs {

// All images of the PRIMARY deployment that are resolved, where its tasks report one more; else none. Images without a
// digest in a registry, such as those that were built on a machine, are never resolved.
std::vector<shapes::ecs::ContainerImage> resolve_images(const ServiceSnapshot& snapshot);
// Whether the PRIMARY deployment has tags whose digests no task has reported yet. A task that runs without them won't
// report any: its machine has no registry to compare with.
bool is_resolving(const ServiceSnapshot& snapshot);

}  // namespace services::ecs
