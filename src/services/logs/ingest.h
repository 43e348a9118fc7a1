// SPDX-License-Identifier: Apache-2.0
// What happens to events that PutLogEvents stored, and to a group that is deleted: in the same transaction.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "services/call.h"
#include "services/logs/filters/filter_matches.h"
#include "services/logs/group.h"
#include "telemetry/logs/event.h"

namespace services::logs {

struct Ingested {
  const Group& group;
  const std::string& stream;                     // its name
  std::int64_t batch;                            // event i has the key {timestamp, batch, i}
  std::span<const telemetry::NewEvent> events;   // those that were stored, in order
  const FilterMatches* matches = nullptr;        // of these events and the group's present filters; null: not known yet
};

// Calls every hook. May run more than once, like a handler.
void after_put(Call& call, const Ingested& put);

// Deletes what belongs to the group beside its streams and events.
void after_delete(Call& call, const Group& group);

}  // namespace services::logs
