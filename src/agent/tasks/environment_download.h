// SPDX-License-Identifier: Apache-2.0
// Downloads a container's environment files from S3.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>

#include "client/objects.h"
#include "shapes/agent/task.h"

namespace agent {

// The server, and the credentials to read a task's objects there: those of the task's execution role, else those of
// the task's role. Nothing for a task without roles: the machine's key reads no objects.
std::optional<client::Profile> objects_profile(client::Profile agent, const shapes::agent::Task& task);

// An environment file: from the server, or by a presigned URL from the S3 that the server names for the task.
boost::asio::awaitable<client::ObjectRead> read_environment_object(http::IoThreads& io, client::Profile agent,
                                                                   const shapes::agent::Task& task,
                                                                   client::ObjectName name);

}  // namespace agent
