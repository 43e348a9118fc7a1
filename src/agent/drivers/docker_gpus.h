// SPDX-License-Identifier: Apache-2.0
// How GPUs get into a container.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <string>

#include "agent/drivers/docker_create.h"

namespace agent::drivers {

// Adds to the environment and to the engine's HostConfig what makes the container see exactly
// its GPUs. Overrides what a task definition or an image says of NVIDIA_VISIBLE_DEVICES: a GPU
// belongs to the tasks that it was given to, and to nobody who only asks for it.
void add_gpus(const ContainerSpec& spec, const DockerOptions& options, const EngineFacts& facts,
              std::map<std::string, std::string>& environment, boost::json::object& host);

}  // namespace agent::drivers
