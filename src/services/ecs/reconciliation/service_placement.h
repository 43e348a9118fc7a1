// SPDX-License-Identifier: Apache-2.0
// Where tasks of a service could start now. Nothing is held: that is done by the transaction that starts them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/machine.h"
#include "scheduler/request.h"
#include "services/ecs/capacity/strategy.h"
#include "services/ecs/reconciliation/service_snapshot.h"
#include "services/ecs/tasks/stored_launch.h"

namespace services::ecs {

// "service:web": the group of its tasks.
std::string service_group(const state::Service& service);

// The tasks of a start have this in common.
StoredLaunch service_launch(const ServiceRows& rows, const state::Deployment& deployment,
                            const StoredTaskDefinition& definition, base::Time now);
// What each of them needs. Throws InvalidParameterException where the definition or the service is inconsistent.
scheduler::Request service_request(const ServiceRows& rows, const StoredTaskDefinition& definition,
                                   const StoredLaunch& launch, const std::optional<std::string>& zone);

// Per look: the writer must not be occupied for long. The next look follows at once.
inline constexpr std::int32_t kMaxStartsAtOnce = 100;
inline constexpr std::size_t kMaxStopsAtOnce = 100;  // an event names all of them

// The starts of a plan, as far as machines have room.
struct Trial {
  std::vector<scheduler::ServiceStart> starts = {};  // with the counts that fit
  std::int32_t blocked = 0;                          // tasks that found no machine
  bool provider_is_empty = false;                    // of the first of these: no machine belongs to its provider
  bool queue_is_full = false;                        // it would wait for capacity, but too many tasks do
  // Why the first of these found none, and what it asked for.
  std::optional<scheduler::Refusal> refusal = {};
  std::optional<scheduler::Request> request = {};
  std::optional<std::string> zone = {};  // of a start for a zone
};
// With `may_wait`, tasks of providers with managed scaling start without room, and wait for capacity.
Trial try_starts(Call& call, const ServiceSnapshot& snapshot, const std::vector<scheduler::ServiceStart>& starts,
                 bool may_wait);

// The providers of the next tasks of a deployment.
ProviderChoice providers_of(Call& call, const ServiceRows& rows, const state::Deployment& deployment);

// Whether the task could run there: whatever other tasks hold, and whether the machine's agent is connected or not.
bool meets_constraints(const scheduler::Machine& machine, const scheduler::Request& request);
// Whether a blocked task could find room where a task of the service runs, if that one stopped. A machine that takes no
// tasks at the moment, or is too small for the task, must not cost one that runs there.
bool stops_may_help(Call& call, const ServiceSnapshot& snapshot, const Trial& trial);

}  // namespace services::ecs
