// SPDX-License-Identifier: Apache-2.0
// The telemetry session: health and resource usage of containers.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "agent/session/session.h"
#include "shapes/agent/telemetry.h"

namespace agent {

// The health of all containers with a health check, in tasks that have not ended.
std::vector<shapes::agent::TaskHealth> health_of(const std::vector<const TaskRunner*>& tasks);

// Adds one value to the statistics of an interval.
void add_sample(shapes::agent::CWStatsSet& set, double value);

class Telemetry {
 public:
  static constexpr base::Duration kPublishEvery = std::chrono::seconds(20);  // as Amazon's agent does

  using OnUsage = std::function<void(const ContainerRecord&, const drivers::Usage&)>;

  // `cores`: those that the machine registers, which may be less than it has.
  Telemetry(Machine& machine, TaskRegistry& tasks, double cores, OnUsage on_usage)
      : machine_(machine), tasks_(tasks), cores_(cores), on_usage_(std::move(on_usage)), coroutines_(machine.executor) {}

  // Sets where to connect from now on; not at all where settings.url is empty.
  void set_server(SessionSettings settings);
  boost::asio::awaitable<void> run();

  Coroutines& coroutines() { return coroutines_; }

 private:
  boost::asio::awaitable<void> connect_and_publish();
  boost::asio::awaitable<void> read(std::shared_ptr<http::WebSocket> socket, std::shared_ptr<bool> open);
  void set_pace(std::int32_t seconds);
  void publish_metrics(http::WebSocket& socket);
  boost::asio::awaitable<void> measure_all();
  boost::asio::awaitable<void> measure(std::string task_arn);
  shapes::agent::PublishMetadata metadata() const;

  Machine& machine_;
  TaskRegistry& tasks_;
  const double cores_;
  const OnUsage on_usage_;
  SessionSettings settings_;
  base::Duration publish_every_ = kPublishEvery;  // the server's choice, in each session
  // Since the last message, by task and container. Running tasks only.
  std::map<std::string, std::map<std::string, shapes::agent::ContainerMetric>> measured_;
  Signal measure_now_;  // notified when the pace changes
  Coroutines coroutines_;
};

}  // namespace agent
