// SPDX-License-Identifier: Apache-2.0
#include "services/events/module.h"

#include "services/events/errors.h"
#include "services/events/operations.h"
#include "services/events/pattern_cache.h"
#include "services/events/rule.h"
#include "services/events/schedule.h"
#include "shapes/events/errors.h"

namespace services::events {
namespace {

// Ten entries of 256 KiB together, whose JSON is a string inside of JSON.
constexpr std::size_t kBodyLimit = 2u << 20;

std::vector<Operation> all_operations() {
  std::vector<Operation> all;
  for (auto rows : {rule_operations(), rule_list_operations(), target_operations(), event_operations(),
                    event_bus_operations(), permission_operations(), tag_operations(), unsupported_operations()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

Service make_service() {
  Service events;
  events.wire = {.name = "events",
                 .target_prefix = "AWSEvents",
                 .api_version = "2015-10-07",
                 .errors = shapes::events::kErrors};
  events.signing_name = "events";
  events.protocols = {wire::Protocol::Json11};
  events.body_limit = kBodyLimit;
  events.operations = all_operations();
  events.violation_error = &violation_error;
  return events;
}

std::vector<Gauge> rule_gauges(Call& call) {
  const auto rules = call.tx.query("SELECT count(*) FROM events_rules").integer();
  return {{.name = "stoker_events_rules", .help = "Rules of EventBridge.", .value = static_cast<double>(rules)}};
}

}  // namespace

Module module(const Options&) {
  Module events;
  events.service = make_service();
  events.internal_operations = internal_operations();
  events.migrations = migrations();
  events.add_memory = [](Locals& locals) { locals.add<PatternCache>(); };
  events.loops = {schedule_loop()};
  events.gauges = &rule_gauges;
  return events;
}

}  // namespace services::events
