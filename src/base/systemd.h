// SPDX-License-Identifier: Apache-2.0
// Reports to systemd, for units with Type=notify.
#pragma once

#include <string_view>

namespace base {

// Sends `state` ("READY=1", "STOPPING=1") to the service manager that started this process, if there is one.
void notify_systemd(std::string_view state);

}  // namespace base
