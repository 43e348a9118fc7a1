// SPDX-License-Identifier: Apache-2.0
// Gives a container access to its GPUs.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <string>

#include "agent/drivers/docker_create.h"

namespace agent::drivers {

// Sets the environment and the HostConfig so that the container sees exactly its GPUs. Overrides
// NVIDIA_VISIBLE_DEVICES of the task definition and the image: a GPU is visible only to the tasks
// that it is assigned to.
void add_gpus(const ContainerSpec& spec, const DockerOptions& options, const EngineFacts& facts,
              std::map<std::string, std::string>& environment, boost::json::object& host);

}  // namespace agent::drivers
