// SPDX-License-Identifier: Apache-2.0
// Calls of CloudWatch Logs for one container.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>

#include "agent/logs/awslogs_options.h"
#include "client/request.h"
#include "http/client.h"
#include "shapes/logs/log_event.h"
#include "shapes/logs/log_group.h"
#include "shapes/logs/log_stream.h"

namespace agent {

// Each throws wire::ApiError for an error reply of the server, std::runtime_error where no reply came.
struct LogCalls {
  template <class T>
  using Reply = boost::asio::awaitable<T>;

  std::function<Reply<shapes::logs::PutLogEventsResponse>(shapes::logs::PutLogEventsRequest)> put_events;
  std::function<Reply<void>(shapes::logs::CreateLogStreamRequest)> create_stream;
  std::function<Reply<void>(shapes::logs::CreateLogGroupRequest)> create_group;
};

// The keys to write a container's log with.
struct LogKeys {
  signing::Credentials agent;
  std::optional<signing::Credentials> execution_role;
};
// Called before each call: the keys of a role are renewed.
using FindKeys = std::function<LogKeys()>;

// Writes as the task's execution role. A task without one, or whose keys have ended with the task, uses the keys of
// the machine, as on Amazon's instances.
LogCalls log_calls(http::Client& http, client::Profile profile, FindKeys keys);

// Creates the stream, and its group where the options say so. A stream that exists is no error. Throws as the calls.
boost::asio::awaitable<void> create_log_stream(LogCalls calls, logs::AwslogsOptions options, std::string stream);

}  // namespace agent
