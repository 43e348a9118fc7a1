// SPDX-License-Identifier: Apache-2.0
// Attaches to the first process of a task, for the process driver: follows its output, which is in its log.
#pragma once

#include <memory>
#include <string>

#include "agent/drivers/exec.h"
#include "agent/drivers/shim_folder.h"
#include "base/result.h"

namespace agent::drivers {

// `folder` is the process's own. An error where the request wants what a process can't do: input.
base::Result<std::unique_ptr<ExecStream>> attach_to_process(std::string folder, const ShimSpec& spec,
                                                            const ExecRequest& request);

}  // namespace agent::drivers
