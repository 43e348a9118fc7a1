// SPDX-License-Identifier: Apache-2.0
// The container that holds namespaces which the containers of a task share: the network of
// awsvpc, pidMode and ipcMode "task".
//
// Amazon's agent runs a pause container for it, and so do we: a namespace must outlive whichever
// container ends first, and be there again when one is restarted. Ours needs no registry: its
// image is one program of a few instructions that sleeps, made here and imported. The network is
// the engine's default bridge, not one for each task: an engine has address ranges for about
// thirty networks, and a task's own namespace and address do not need more.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "agent/drivers/docker_api.h"
#include "agent/drivers/docker_create.h"

namespace agent::drivers {

bool needs_holder(const shapes::agent::Task& task);
// The same for every container of the task, so that it is made once.
std::string holder_name(const shapes::agent::Task& task);
boost::json::object holder_body(const shapes::agent::Task& task, const std::string& agent_name);

// A tar with the program /pause for "amd64" or "arm64"; "" for what it is not written for.
std::string holder_image_tar(const std::string& architecture);

// Makes and starts it, where it is not there. Answers its name. Several may ask at once.
boost::asio::awaitable<base::Result<std::string>> ensure_holder(DockerApi& api, shapes::agent::Task task,
                                                                std::string agent_name, std::string architecture);

}  // namespace agent::drivers
