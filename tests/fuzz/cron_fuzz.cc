// SPDX-License-Identifier: Apache-2.0
// Any bytes as a schedule, and as a file of a time zone: rejected, or with a next time that is later.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "autoscaler/schedule.h"
#include "base/check.h"

using namespace autoscaler;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const base::Time now = base::from_seconds(1800000000);
  const auto zone = base::TimeZone::parse(text);
  if (zone) {
    const auto back = zone->to_utc(zone->to_local(now));
    CHECK(!back || *back <= now) << "not the earlier of two equal local times";
  }
  if (const auto schedule = parse_schedule(text)) {
    const auto due = next_due(*schedule, base::TimeZone(), {.anchor = now}, now);
    CHECK(!due || *due > now) << "due in the past";
  }
  for (const auto& cron : {parse_group_cron(text), parse_application_cron(text)}) {
    if (!cron) continue;
    const auto next = next_after(*cron, base::TimeZone(), now);
    CHECK(!next || *next > now) << "not later";
  }
  return 0;
}
