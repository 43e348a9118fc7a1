// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/reconciliation/service_queue.h"

namespace services::ecs {

void ServiceQueue::mark(state::ServiceNumber service) {
  marked_.with([service](std::set<state::ServiceNumber>& marked) { marked.insert(service); });
}

void mark_service(Call& call, state::ServiceNumber service) {
  ServiceQueue& queue = call.local<ServiceQueue>();
  call.tx.on_end([&queue, service](bool committed) {
    if (committed) queue.mark(service);
  });
  call.wake(std::string(state::kServicesTopic));
}

}  // namespace services::ecs
