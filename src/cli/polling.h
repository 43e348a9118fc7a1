// SPDX-License-Identifier: Apache-2.0
// The interval between two looks at a server that does not notify its clients.
#pragma once

#include "base/time.h"

namespace cli {

void wait_before_next_look(base::Duration interval);

}  // namespace cli
