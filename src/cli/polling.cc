// SPDX-License-Identifier: Apache-2.0
#include "cli/polling.h"

#include <thread>

namespace cli {

void wait_before_next_look(base::Duration interval) { std::this_thread::sleep_for(interval); }

}  // namespace cli
