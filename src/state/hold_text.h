// SPDX-License-Identifier: Apache-2.0
// What the tasks of a launch hold on their machines, as one column: a line for each task, in their order.
//   <cpu> <memory in MiB> <dynamic ports> <TCP ports> <UDP ports> [<gpu>:<container>:<shared MiB>]...
// Ports are separated by commas, "-" where there are none. GPUs are named by agents: characters that would
// not survive are written as %XX.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "model/instance.h"

namespace state {

// Adds a line. What is not named above is not written.
void append_hold(std::string& text, const model::TaskHold& hold);

// The same text with another line for the task at this place of its launch.
std::string replace_hold(std::string_view text, std::size_t place, const model::TaskHold& hold);

// The line of the task at this place of its launch, 0 for the first.
model::TaskHold parse_hold(std::string_view text, std::size_t place);

}  // namespace state
