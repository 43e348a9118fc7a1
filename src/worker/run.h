// SPDX-License-Identifier: Apache-2.0
// A worker as a program.
#pragma once

#include "client/settings.h"
#include "worker/options.h"
#include "worker/worker.h"

namespace worker {

// Works until SIGTERM or SIGINT, then drains; a second signal ends it at once. Returns the exit status. Throws
// exceptions whose what() is one clear line.
int run(const Options& options, const client::Settings& settings);

// The task that this process belongs to, from its metadata endpoint. "" where there is none or it does not respond.
Surroundings find_surroundings(const client::Environment& environment);

// As process 1 of a container: runs the rest of the program in a child, to which it passes signals on, and reaps the
// processes that commands leave behind. Returns only in the child, or if we are not process 1.
void become_init();

}  // namespace worker
