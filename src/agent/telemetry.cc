// SPDX-License-Identifier: Apache-2.0
#include "agent/telemetry.h"

#include <algorithm>

#include "base/log.h"
#include "base/random.h"

namespace agent {
namespace asio = boost::asio;
using namespace shapes::agent;
namespace {

constexpr base::Duration kPublishEvery = std::chrono::seconds(20);
constexpr base::Duration kAgain = std::chrono::seconds(5);
constexpr double kMiB = 1024.0 * 1024.0;

CWStatsSet one_sample(double value) {
  CWStatsSet set;
  set.min = set.max = set.sum = value;
  set.sampleCount = 1;
  return set;
}

}  // namespace

std::vector<TaskHealth> health_of(const std::vector<const TaskRunner*>& tasks) {
  std::vector<TaskHealth> all;
  for (const TaskRunner* task : tasks) {
    if (task->has_ended()) continue;
    TaskHealth health;
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

PublishMetadata Telemetry::metadata() const {
  PublishMetadata metadata;
  metadata.cluster = settings_.cluster;
  metadata.containerInstance = settings_.container_instance_arn;
  metadata.messageId = base::random_uuid();
  metadata.fin = true;
  return metadata;
}

asio::awaitable<void> Telemetry::run() {
  for (;;) {
    while (settings_.url.empty()) {
      co_await machine_.changed.wait(kLookAgain);
    }
    std::string failure;
    try {
      co_await connect_and_publish();
    } catch (const std::exception& error) {
      failure = error.what();
    }
    open_ = false;
    base::log_debug("telemetry ended", {{"error", failure}});
    co_await sleep_for(kAgain);
  }
}

asio::awaitable<void> Telemetry::connect_and_publish() {
  std::map<std::string, std::string> query = {{"cluster", settings_.cluster},
                                              {"containerInstance", settings_.container_instance_arn},
                                              {"agentVersion", settings_.agent_version},
                                              {"agentHash", "stoker-" + settings_.agent_version},
                                              {"dockerVersion", settings_.docker_version}};
  std::shared_ptr<http::WebSocket> socket = co_await connect(settings_.profile, settings_.url, std::move(query));
  open_ = true;
  coroutines_.spawn("telemetry reader", read(socket));
  base::Time metrics_due = machine_.clock.now() + kPublishEvery, health_due = metrics_due;
  std::string said;
  while (open_) {
    PublishHealthRequest health;
    health.tasks = health_of(tasks_.all());
    std::string text = wire::write_frame("", health);
    const base::Time now = machine_.clock.now();
    if (!health.tasks.empty() && (text != said || now >= health_due)) {
      health.metadata = metadata();
      send(*socket, "PublishHealthRequest", health);
      said = std::move(text);
      health_due = now + kPublishEvery;
    }
    if (now >= metrics_due) {
      co_await publish_metrics(socket);
      metrics_due = now + kPublishEvery;
    }
    const base::Duration pause = std::clamp(metrics_due - machine_.clock.now(), base::Duration(1), kPublishEvery);
    co_await machine_.changed.wait(pause);
  }
}

asio::awaitable<void> Telemetry::read(std::shared_ptr<http::WebSocket> socket) {
  const base::Duration silence = silence_limit();
  for (;;) {
    base::Result<std::string> text = co_await socket->read(silence);
    if (!text) break;
    base::Result<wire::Frame> frame = wire::read_frame(*text);
    if (!frame || frame->type.ends_with("Exception")) break;
    if (frame->type != "HeartbeatMessage") continue;
    HeartbeatAckRequest ack;
    ack.messageId = wire::read_message<HeartbeatMessage>(*frame).messageId;
    send(*socket, "HeartbeatAckRequest", ack);
  }
  socket->close();
  open_ = false;
  machine_.changed.notify();
}

asio::awaitable<void> Telemetry::publish_metrics(std::shared_ptr<http::WebSocket> socket) {
  PublishMetricsRequest request;
  std::vector<TaskIdentifier> running = tasks_.running();
  for (const TaskIdentifier& task : running) {
    TaskMetric metric = co_await measure(task.taskArn);
    if (!metric.containerMetrics.empty()) request.taskMetrics.push_back(std::move(metric));
  }
  request.metadata = metadata();
  request.metadata.idle = request.taskMetrics.empty();
  send(*socket, "PublishMetricsRequest", request);
}

asio::awaitable<TaskMetric> Telemetry::measure(std::string task_arn) {
  TaskMetric metric;
  metric.taskArn = task_arn;
  const TaskRunner* task = tasks_.find(task_arn);
  if (!task) co_return metric;
  std::vector<ContainerRecord> containers = task->record().containers;  // the task may go meanwhile
  for (const ContainerRecord& container : containers) {
    if (container.status != kRunning) continue;
    base::Result<drivers::Usage> usage = co_await machine_.driver.usage(container.id);
    if (!usage) continue;
    ContainerMetric one;
    one.containerName = container.name;
    one.cpuStatsSet = one_sample(usage->cpu_percent);
    one.memoryStatsSet = one_sample(static_cast<double>(usage->memory_bytes) / kMiB);
    metric.containerMetrics.push_back(std::move(one));
    if (on_usage_) on_usage_(container, *usage);
  }
  co_return metric;
}

}  // namespace agent
