// SPDX-License-Identifier: Apache-2.0
// A task's volumes: folders of the machine, and volumes of the engine.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <string>

#include "agent/drivers/docker_api.h"
#include "agent/drivers/driver.h"

namespace agent::drivers {

// Makes the volumes that the container mounts, where they are not there. Answers for each what
// to mount: a path, or the name of a volume. Errors are whole: "CannotCreateVolumeError: ...".
boost::asio::awaitable<base::Result<std::map<std::string, std::string>>> ensure_volumes(DockerApi& api,
                                                                                        ContainerSpec spec,
                                                                                        std::string agent_name);

// Deletes those volumes of the engine that were the task's alone.
boost::asio::awaitable<base::Result<Nothing>> remove_volumes(DockerApi& api, std::string task_arn,
                                                             std::string agent_name);

}  // namespace agent::drivers
