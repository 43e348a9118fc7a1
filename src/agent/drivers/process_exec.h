// SPDX-License-Identifier: Apache-2.0
// Commands in the process of a task, for the process driver.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>
#include <vector>

#include "agent/drivers/exec.h"
#include "agent/drivers/exec_shim.h"
#include "base/result.h"

namespace agent::drivers {

// `shim` is our program and its subcommand; `spec` names the task's process.
boost::asio::awaitable<base::Result<std::unique_ptr<ExecStream>>> exec_in_process(std::vector<std::string> shim,
                                                                                  ExecSpec spec, ExecRequest request);

}  // namespace agent::drivers
