// SPDX-License-Identifier: Apache-2.0
// What filters and the Embedded Metric Format make of new events, in the transaction that stores them.
#pragma once

#include "services/call.h"
#include "services/logs/ingest.h"

namespace services::logs {

void process_events(Call& call, const Ingested& put);

}  // namespace services::logs
