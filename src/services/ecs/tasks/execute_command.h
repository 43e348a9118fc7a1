// SPDX-License-Identifier: Apache-2.0
// ExecuteCommand, and our own StokerExec: sessions in running containers. Both only write a session; the door of the
// data channel runs it.
#pragma once

#include "services/call.h"
#include "shapes/ecs/execute_command.h"
#include "shapes/stoker/exec.h"

namespace services::ecs {

// At the same time. Amazon's agent has 2 unless its server sends another limit.
inline constexpr std::int64_t kMaxSessionsOfContainer = 32;

shapes::ecs::ExecuteCommandResponse execute_command(Call& call, const shapes::ecs::ExecuteCommandRequest& request);
shapes::ecs::ExecuteCommandResponse stoker_exec(Call& call, const shapes::stoker::StokerExecRequest& request);

}  // namespace services::ecs
