// SPDX-License-Identifier: Apache-2.0
// GET /stoker/logs: the output of a task, read from its machine, one line of JSON per line of output.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "api/engine.h"
#include "doors/agents/agent_sessions.h"
#include "doors/agents/log_streams.h"
#include "http/server.h"

namespace doors::agents {

class TaskLogs {
 public:
  TaskLogs(api::Engine& engine, AgentSessions& agents, LogStreams& streams)
      : engine_(engine), agents_(agents), streams_(streams) {}

  // ?cluster=&task=&container=&follow=true&tail=100
  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, services::Caller caller);

 private:
  // Where a task is, once its agent has it. Throws ApiError where its agent will never have it.
  struct Place {
    model::InstanceId instance;
    std::string arn;
    bool there = false;
  };
  boost::asio::awaitable<Place> look(services::Caller caller, std::string cluster, std::string task);
  boost::asio::awaitable<Place> find(http::Exchange& exchange, services::Caller caller, std::string query);
  boost::asio::awaitable<void> copy(http::Exchange& exchange, std::string id);

  api::Engine& engine_;
  AgentSessions& agents_;
  LogStreams& streams_;
};

}  // namespace doors::agents
