// SPDX-License-Identifier: Apache-2.0
// Topics of Logs' loops.
#pragma once

namespace services::logs {

// Woken when a group is deleted or gets a shorter retention.
inline constexpr char kSweepTopic[] = "logs/sweep";

}  // namespace services::logs
