// SPDX-License-Identifier: Apache-2.0
#include "services/logs/ingest.h"

#include "services/logs/live_tails.h"

namespace services::logs {

void after_put(Call& call, const Ingested& put) {
  call.wake(put.group.topic());
  offer_to_live_tails(call, put);
}

void after_delete(Call& call, const Group& group) {
  call.wake(group.topic());
}

}  // namespace services::logs
