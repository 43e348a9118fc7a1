// SPDX-License-Identifier: Apache-2.0
// What an Auto Scaling group waits for, beyond what its public operations return. Spoken by the `stoker` command only.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "wire/traits.h"

namespace shapes::stoker {

struct StokerListGroupWaitsRequest {
  std::string group;
};
BOOST_DESCRIBE_STRUCT(StokerListGroupWaitsRequest, (), (group))

// A lifecycle action without a result.
struct StokerHookWait {
  std::string instanceId;
  std::string hook;
  base::Time expiresAt;       // unless a heartbeat delays it
  std::string defaultResult;  // then
};
BOOST_DESCRIBE_STRUCT(StokerHookWait, (), (instanceId, hook, expiresAt, defaultResult))

struct StokerListGroupWaitsResponse {
  std::int32_t failedLaunches = 0;         // in a row
  std::optional<base::Time> retryAt;       // no launch before this time
  std::optional<base::Time> cooldownFrom;  // the end of the last activity that succeeded
  std::optional<base::Time> newestInServiceAt;  // of its instances: they are warm a warm-up later
  std::vector<StokerHookWait> hooks;
};
BOOST_DESCRIBE_STRUCT(StokerListGroupWaitsResponse, (),
                      (failedLaunches, retryAt, cooldownFrom, newestInServiceAt, hooks))

}  // namespace shapes::stoker

template <>
inline constexpr auto wire::kTraits<shapes::stoker::StokerListGroupWaitsRequest> = wire::traits({
    {.member = "group", .required = true, .min = 1, .max = 255},
});
