// SPDX-License-Identifier: Apache-2.0
// What a machine with this engine can be asked for, as attributes that tasks require.
#pragma once

#include <boost/json/value.hpp>

#include "agent/drivers/docker_create.h"
#include "agent/drivers/driver.h"

namespace agent::drivers {

// Of the engine's answers to /version and /info.
EngineFacts facts_of(const boost::json::value& version, const boost::json::value& info);
Abilities abilities_of(const boost::json::value& version, const boost::json::value& info);

}  // namespace agent::drivers
