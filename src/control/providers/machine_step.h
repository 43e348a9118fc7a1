// SPDX-License-Identifier: Apache-2.0
// What a provider has to do about an instance.
#pragma once

#include <string_view>

#include "control/providers/machine_record.h"
#include "state/ec2_instance.h"

namespace control::providers {

enum class Step { None, Start, Watch, Stop };

// By the instance's state and its machine's record. A machine of another provider is left alone: only that one can
// interpret its record.
inline Step next_step(state::Ec2State state, const MachineRecord& record, std::string_view provider) {
  if (!record.provider.empty() && record.provider != provider) return Step::None;
  switch (state) {
    case state::Ec2State::Pending:
    case state::Ec2State::Running: return record.identity.empty() ? Step::Start : Step::Watch;
    case state::Ec2State::ShuttingDown:
    case state::Ec2State::Stopping: return Step::Stop;
    case state::Ec2State::Terminated:
    case state::Ec2State::Stopped: break;
  }
  return Step::None;
}

}  // namespace control::providers
