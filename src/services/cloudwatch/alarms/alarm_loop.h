// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "services/module.h"

namespace services::cloudwatch {

// Evaluates alarms when their points arrive or their time comes.
Loop alarm_loop();

}  // namespace services::cloudwatch
