// SPDX-License-Identifier: Apache-2.0
// The metric CapacityProviderReservation, which managed scaling tracks.
#pragma once

#include "autoscaler/capacity_provider.h"
#include "services/ecs/capacity/provider.h"
#include "services/measurement.h"
#include "state/cluster.h"

namespace services::ecs {

// A provider in one cluster at this moment.
autoscaler::ProviderView view_provider(Call& call, const state::Cluster& cluster, const Provider& provider);

// Every minute; those of interest every second, and in between when they have changed.
void measure_reservations(Call& call, const Due& due, Measured& into);

}  // namespace services::ecs
