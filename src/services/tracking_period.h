// SPDX-License-Identifier: Apache-2.0
// The period of the alarms of target tracking policies: Amazon's minute, unless an operator wants capacity to follow the
// load faster. In the memory of the services that create such alarms.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/time.h"

namespace services {

struct TrackingPeriod {
  explicit TrackingPeriod(base::Duration period)
      : seconds(static_cast<std::int32_t>(std::chrono::duration_cast<std::chrono::seconds>(period).count())) {}
  std::int32_t seconds;
};

}  // namespace services
