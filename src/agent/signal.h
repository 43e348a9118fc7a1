// SPDX-License-Identifier: Apache-2.0
// http's Signal, under the agent's name.
#pragma once

#include "http/signal.h"

namespace agent {

using http::kLongestWait;
using http::Signal;
using http::sleep_for;

}  // namespace agent
