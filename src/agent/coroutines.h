// SPDX-License-Identifier: Apache-2.0
// http's Coroutines, under the agent's name.
#pragma once

#include "agent/signal.h"
#include "http/coroutines.h"

namespace agent {

using http::Coroutines;

}  // namespace agent
