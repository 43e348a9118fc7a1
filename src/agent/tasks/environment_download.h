// SPDX-License-Identifier: Apache-2.0
// Downloads a container's environment files from S3.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "client/objects.h"
#include "shapes/agent/task.h"

namespace agent {

// The server, and the credentials to read a task's objects there: those of the task's execution role, else those of
// the task's role, else the agent's own.
client::Profile objects_profile(client::Profile agent, const shapes::agent::Task& task);

// An environment file: from the server, or by a presigned URL from the S3 that the server names for the task.
boost::asio::awaitable<client::ObjectRead> read_environment_object(http::IoThreads& io, client::Profile agent,
                                                                   const shapes::agent::Task& task,
                                                                   client::ObjectName name);

}  // namespace agent
