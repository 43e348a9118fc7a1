// SPDX-License-Identifier: Apache-2.0
// Deletes terminated instances an hour after their end, and tokens of launches after a day.
#pragma once

#include "services/module.h"

namespace services::ec2 {

Loop terminated_loop();

}  // namespace services::ec2
