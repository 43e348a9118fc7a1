// SPDX-License-Identifier: Apache-2.0
// The container that holds the namespaces which the containers of a task share: the network of
// awsvpc, pidMode and ipcMode "task".
//
// Like Amazon's agent, we run a pause container: a namespace must outlive the container that ends
// first, and exist when one is restarted. It needs no registry: its image is a program of a few
// instructions, built here and imported. It uses the engine's default bridge, not a network per
// task: an engine has address ranges for about thirty networks only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "agent/drivers/docker_api.h"
#include "agent/drivers/docker_create.h"

namespace agent::drivers {

bool needs_holder(const shapes::agent::Task& task);
// The same for every container of the task, so that only one is created.
std::string holder_name(const shapes::agent::Task& task);
struct HolderSettings {
  std::string agent_name, architecture;
  std::string cgroup_parent = {};  // of the task's containers; "": none
};
boost::json::object holder_body(const shapes::agent::Task& task, const HolderSettings& settings);

// A tar with the program /pause for "amd64" or "arm64"; "" for any other architecture.
std::string holder_image_tar(const std::string& architecture);

// Creates and starts the holder if necessary, and returns its name. Safe to call concurrently.
boost::asio::awaitable<base::Result<std::string>> ensure_holder(DockerApi& api, shapes::agent::Task task,
                                                                HolderSettings settings);

}  // namespace agent::drivers
