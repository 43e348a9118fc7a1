// SPDX-License-Identifier: Apache-2.0
#include "services/logs/ingest.h"

#include "services/logs/filters/group_filters.h"
#include "services/logs/filters/process_events.h"
#include "services/logs/live_tails.h"

namespace services::logs {

void after_put(Call& call, const Ingested& put) {
  call.wake(put.group.topic());
  offer_to_live_tails(call, put);
  process_events(call, put);
}

void after_delete(Call& call, const Group& group) {
  call.wake(group.topic());
  delete_filters(call.tx, group.id);
  forget_filters(call, group.id);
}

}  // namespace services::logs
