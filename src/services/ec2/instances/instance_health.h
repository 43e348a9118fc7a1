// SPDX-License-Identifier: Apache-2.0
// Whether a running instance works: its agent must register, and stay connected.
#pragma once

#include <optional>

#include "base/time.h"
#include "state/ec2_instance.h"
#include "store/store.h"

namespace services::ec2 {

// An agent that has not registered for this long after its machine started will not do so.
inline constexpr base::Duration kJoinTime = std::chrono::minutes(10);
// An agent that is disconnected for this long is lost; a restart of the server disconnects all of them for a moment.
inline constexpr base::Duration kReconnectTime = std::chrono::minutes(2);

enum class Health { Initializing, Ok, Impaired };

struct HealthCheck {
  Health health = Health::Initializing;
  std::optional<base::Time> impaired_since;
};

// `disconnected_at`: since when the agent of an instance that has joined is away.
HealthCheck check_health(const state::Ec2Instance& running, std::optional<base::Time> disconnected_at, base::Time now);
// From the rows of container instances.
std::optional<base::Time> find_disconnection(store::Tx& tx, const state::Ec2Instance& instance);

}  // namespace services::ec2
