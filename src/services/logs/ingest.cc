// SPDX-License-Identifier: Apache-2.0
#include "services/logs/ingest.h"

namespace services::logs {

void after_put(Call& call, const Ingested& put) {
  call.wake(put.group.topic());
}

void after_delete(Call& call, const Group& group) {
  call.wake(group.topic());
}

}  // namespace services::logs
