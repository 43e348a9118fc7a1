// SPDX-License-Identifier: Apache-2.0
// What an Auto Scaling group does next: a pure function of the group, its instances and the time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace autoscaler {

enum class Lifecycle {
  Pending, PendingWait, PendingProceed, InService, EnteringStandby, Standby, Detaching,
  Terminating, TerminatingWait, TerminatingProceed,
};

}  // namespace autoscaler
