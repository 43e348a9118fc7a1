// SPDX-License-Identifier: Apache-2.0
#include "agent/session/telemetry.h"

#include <algorithm>
#include <set>

#include "base/log.h"
#include "base/random.h"
#include "shapes/agent/extensions.h"

namespace agent {
namespace asio = boost::asio;
namespace messages = shapes::agent;
namespace {

constexpr base::Duration kMeasureEvery = std::chrono::seconds(2);
constexpr base::Duration kFastestPace = std::chrono::seconds(1), kSlowestPace = std::chrono::minutes(1);
constexpr base::Duration kReconnectAfter = std::chrono::seconds(5);
constexpr double kMiB = 1024.0 * 1024.0;

}  // namespace

void add_sample(messages::CWStatsSet& set, double value) {
  set.min = std::min(set.min.value_or(value), value);
  set.max = std::max(set.max.value_or(value), value);
  set.sum = set.sum.value_or(0) + value;
  set.sampleCount = set.sampleCount.value_or(0) + 1;
}

std::vector<messages::TaskHealth> health_of(const std::vector<const TaskRunner*>& tasks) {
  std::vector<messages::TaskHealth> all;
  for (const TaskRunner* task : tasks) {
    if (task->has_ended()) continue;
    messages::TaskHealth health;
    health.taskArn = task->arn();
    for (const ContainerRecord& container : task->record().containers) {
      if (container.health && container.startedAt) health.containers.push_back({container.name, *container.health});
    }
    if (!health.containers.empty()) all.push_back(std::move(health));
  }
  return all;
}

void Telemetry::set_server(SessionSettings settings) {
  settings_ = std::move(settings);
  machine_.changed.notify();
}

messages::PublishMetadata Telemetry::metadata() const {
  messages::PublishMetadata metadata;
  metadata.cluster = settings_.cluster;
  metadata.containerInstance = settings_.container_instance_arn;
  metadata.messageId = base::random_uuid();
  metadata.fin = true;
  return metadata;
}

asio::awaitable<void> Telemetry::run() {
  coroutines_.spawn("usage", measure_all());
  for (;;) {
    while (settings_.url.empty()) {
      co_await machine_.changed.wait(kLongestWait);
    }
    std::string failure;
    try {
      co_await connect_and_publish();
    } catch (const std::exception& error) {
      failure = error.what();
    }
    base::log_debug("telemetry session ended", {{"error", failure}});
    co_await sleep_for(kReconnectAfter);
  }
}

asio::awaitable<void> Telemetry::connect_and_publish() {
  std::map<std::string, std::string> query = {{"cluster", settings_.cluster},
                                              {"containerInstance", settings_.container_instance_arn},
                                              {"agentVersion", settings_.agent_version},
                                              {"agentHash", "stoker-" + settings_.agent_version},
                                              {"dockerVersion", settings_.docker_version}};
  std::shared_ptr<http::WebSocket> socket = co_await connect(settings_.profile, settings_.url, std::move(query));
  auto open = std::make_shared<bool>(true);  // shared with the reader, which may outlive this coroutine
  coroutines_.spawn("telemetry reader", read(socket, open));
  const std::string instance = settings_.container_instance_arn;
  publish_every_ = kPublishEvery;
  base::Time published_at = machine_.clock.now(), health_due = published_at + kPublishEvery;
  std::string published;
  while (*open && settings_.container_instance_arn == instance) {
    messages::PublishHealthRequest health;
    health.tasks = health_of(tasks_.all());
    std::string text = wire::write_frame("", health);
    const base::Time now = machine_.clock.now();
    if (!health.tasks.empty() && (text != published || now >= health_due)) {
      health.metadata = metadata();
      send(*socket, "PublishHealthRequest", health);
      published = std::move(text);
      health_due = now + kPublishEvery;
    }
    if (now >= published_at + publish_every_) {
      publish_metrics(*socket);
      published_at = now;
    }
    const base::Duration left = published_at + publish_every_ - machine_.clock.now();
    const base::Duration pause = std::clamp(left, base::Duration(1), kPublishEvery);
    co_await machine_.changed.wait(pause);
  }
  socket->close();
}

asio::awaitable<void> Telemetry::read(std::shared_ptr<http::WebSocket> socket, std::shared_ptr<bool> open) {
  const base::Duration silence = silence_limit();
  for (;;) {
    base::Result<std::string> text = co_await socket->read(silence);
    if (!text) break;
    base::Result<wire::Frame> frame = wire::read_frame(*text);
    if (!frame || frame->type.ends_with("Exception")) break;
    if (frame->type == "StokerTelemetryPace") set_pace(wire::read_message<messages::StokerTelemetryPace>(*frame).seconds);
    if (frame->type != "HeartbeatMessage") continue;
    messages::HeartbeatAckRequest ack;
    ack.messageId = wire::read_message<messages::HeartbeatMessage>(*frame).messageId;
    send(*socket, "HeartbeatAckRequest", ack);
  }
  socket->close();
  *open = false;
  machine_.changed.notify();
}

void Telemetry::set_pace(std::int32_t seconds) {
  publish_every_ = std::clamp<base::Duration>(std::chrono::seconds(seconds), kFastestPace, kSlowestPace);
  machine_.changed.notify();
  measure_now_.notify();
}

void Telemetry::publish_metrics(http::WebSocket& socket) {
  messages::PublishMetricsRequest request;
  for (auto& [task_arn, containers] : measured_) {
    messages::TaskMetric metric;
    metric.taskArn = task_arn;
    for (auto& [name, container] : containers) metric.containerMetrics.push_back(std::move(container));
    request.taskMetrics.push_back(std::move(metric));
  }
  measured_.clear();
  request.metadata = metadata();
  request.metadata.idle = request.taskMetrics.empty();
  send(socket, "PublishMetricsRequest", request);
}

asio::awaitable<void> Telemetry::measure_all() {
  for (;;) {
    std::set<std::string> running;
    for (const messages::TaskIdentifier& task : tasks_.running()) running.insert(task.taskArn);
    std::erase_if(measured_, [&](const auto& task) { return !running.contains(task.first); });
    for (const std::string& task_arn : running) {
      try {
        co_await measure(task_arn);
      } catch (const std::exception& error) {
        if (machine_.stopping) throw;
        base::log_debug("container usage not measured", {{"task", task_arn}, {"error", error.what()}});
      }
    }
    const base::Duration pause = std::min(kMeasureEvery, publish_every_);
    co_await measure_now_.wait(pause);
  }
}

asio::awaitable<void> Telemetry::measure(std::string task_arn) {
  const TaskRunner* task = tasks_.find(task_arn);
  if (!task) co_return;
  std::vector<ContainerRecord> containers = task->record().containers;  // a copy: the task may be deleted meanwhile
  for (const ContainerRecord& container : containers) {
    if (container.status != kRunning) continue;
    base::Result<drivers::Usage> usage = co_await machine_.driver.usage(container.id);
    if (!usage) continue;
    messages::ContainerMetric& metric = measured_[task_arn][container.name];
    metric.containerName = container.name;
    if (!metric.cpuStatsSet) metric.cpuStatsSet.emplace();
    if (!metric.memoryStatsSet) metric.memoryStatsSet.emplace();
    // Percent of the whole machine: Amazon's agent divides Docker's number by the number of cores.
    add_sample(*metric.cpuStatsSet, usage->cpu_percent / cores_);
    add_sample(*metric.memoryStatsSet, static_cast<double>(usage->memory_bytes) / kMiB);
    if (on_usage_) on_usage_(container, *usage);
  }
}

}  // namespace agent
