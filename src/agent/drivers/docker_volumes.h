// SPDX-License-Identifier: Apache-2.0
// A task's volumes: host folders and engine volumes.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <string>

#include "agent/drivers/docker_api.h"
#include "agent/drivers/driver.h"

namespace agent::drivers {

// Creates the missing volumes that the container mounts. Returns the source of each: a path, or the
// name of a volume. Errors are complete ECS reasons: "CannotCreateVolumeError: ...".
boost::asio::awaitable<base::Result<std::map<std::string, std::string>>> ensure_volumes(DockerApi& api,
                                                                                        ContainerSpec spec,
                                                                                        std::string agent_name);

// Deletes the engine volumes of the task's own scope.
boost::asio::awaitable<base::Result<Nothing>> remove_volumes(DockerApi& api, std::string task_arn,
                                                             std::string agent_name);

}  // namespace agent::drivers
