// SPDX-License-Identifier: Apache-2.0
#include "agent/awslogs/log_shippers.h"

#include <algorithm>

#include "base/log.h"
#include "wire/error.h"

namespace agent {
namespace asio = boost::asio;
namespace {

using Steady = std::chrono::steady_clock;

// For a server that does not answer, in mode blocking.
constexpr base::Duration kCreateWithin = std::chrono::minutes(1);

// The words of Docker and of Amazon's agent, which people search for.
constexpr const char* kCannotStart =
    "CannotStartContainerError: Error response from daemon: failed to initialize logging driver: ";
constexpr const char* kNoStream = "failed to create Cloudwatch log stream: ";

bool is_temporary(const wire::ApiError& error) {
  return error.status() >= 500 || error.code() == "ThrottlingException" || error.code() == "ServiceUnavailableException";
}

std::string stream_of(const logs::AwslogsOptions& options, const ContainerRecord& container) {
  return options.stream.empty() ? container.id : options.stream;
}

struct CreateResult {
  std::string error;  // "": created
  bool temporary = false;
};

asio::awaitable<CreateResult> try_create(LogCalls calls, logs::AwslogsOptions options, std::string stream) {
  CreateResult result;
  try {
    co_await create_log_stream(std::move(calls), std::move(options), std::move(stream));
  } catch (const wire::ApiError& error) {
    result.error = error.code() + ": " + error.message();
    result.temporary = is_temporary(error);
  } catch (const std::exception& error) {
    result.error = error.what();
    result.temporary = true;
  }
  co_return result;
}

}  // namespace

LogShippers::LogShippers(http::IoThreads& io, Machine& machine, client::Profile profile)
    : machine_(machine),
      profile_(std::move(profile)),
      http_(io, client::endpoint_of(profile_)),
      watch_(machine.executor),
      coroutines_(machine.executor) {}

LogShippers::Task& LogShippers::task_of(const TaskRecord& record) {
  auto [at, added] = tasks_.try_emplace(record.task.arn);
  Task& task = at->second;
  if (added) {
    for (const auto& container : record.task.containers) {
      auto options = logs::awslogs_options(container);
      task.containers.emplace_back();
      if (options && *options) task.containers.back().options = std::move(**options);
    }
  }
  const auto& role = record.task.executionRoleCredentials;
  task.execution_role.reset();
  if (role) task.execution_role = signing::Credentials{role->accessKeyId, role->secretAccessKey, role->sessionToken};
  return task;
}

LogCalls LogShippers::calls_for(const std::string& task_arn, const std::string& region) {
  client::Profile profile = profile_;
  profile.region = region;
  return log_calls(http_, std::move(profile), [this, task_arn] {
    LogKeys keys;
    keys.agent = profile_.credentials;
    const auto found = tasks_.find(task_arn);
    if (found != tasks_.end()) keys.execution_role = found->second.execution_role;
    return keys;
  });
}

asio::awaitable<std::string> LogShippers::open(const TaskRecord& record, const ContainerRecord& container) {
  const std::size_t index = std::size_t(&container - record.containers.data());
  const auto parsed = logs::awslogs_options(record.task.containers[index]);
  if (!parsed) co_return "";
  if (!*parsed) co_return kCannotStart + parsed->error();
  const logs::AwslogsOptions options = **parsed;
  const std::string stream = stream_of(options, container);
  const Steady::time_point give_up = Steady::now() + kCreateWithin;
  for (;;) {
    LogCalls calls = calls_for(record.task.arn, options.region);
    CreateResult result = co_await try_create(std::move(calls), options, stream);
    if (result.error.empty()) co_return "";
    // A missing group ends the start in both modes. While the server does not answer, a container in mode
    // non-blocking runs, and its shipper creates the stream later.
    if (result.temporary && !options.blocking) co_return "";
    const bool again = result.temporary && Steady::now() < give_up && record.desired != kStopped && !machine_.stopping;
    if (!again) co_return kCannotStart + std::string(kNoStream) + result.error;
    co_await machine_.changed.wait(machine_.timing.retry);
  }
}

void LogShippers::update(const TaskRecord& record) {
  Task& task = task_of(record);
  for (std::size_t i = 0; i < task.containers.size() && i < record.containers.size(); ++i) {
    Container& container = task.containers[i];
    if (!container.options || record.containers[i].id.empty()) continue;
    if (!container.shipper) begin(record, i, container);
    if (record.containers[i].status == kStopped) container.shipper->set_ended();
  }
}

void LogShippers::begin(const TaskRecord& record, std::size_t index, Container& container) {
  ShipperSettings settings;
  settings.task_arn = record.task.arn;
  settings.container = record.containers[index].name;
  settings.log_file = machine_.store.log_file(record.task.arn, settings.container);
  settings.cursor_file = settings.log_file + ".cursor";
  settings.stream = stream_of(*container.options, record.containers[index]);
  settings.options = *container.options;
  settings.retry = std::min(machine_.timing.retry, settings.retry);
  settings.retry_longest = machine_.timing.retry_longest;
  LogCalls calls = calls_for(record.task.arn, container.options->region);
  container.shipper = std::make_shared<LogShipper>(std::move(settings), std::move(calls), watch_, changed_);
  container.coroutine = coroutines_.spawn("awslogs", run(container.shipper));
}

asio::awaitable<void> LogShippers::run(std::shared_ptr<LogShipper> shipper) { co_await shipper->run(); }

void LogShippers::remove(const std::string& task_arn) {
  const auto found = tasks_.find(task_arn);
  if (found == tasks_.end()) return;
  if (has_unsent(task_arn)) base::log_warn("unsent log lines deleted with their task", {{"task", task_arn}});
  for (const Container& container : found->second.containers) {
    if (container.shipper) coroutines_.cancel(container.coroutine);
  }
  tasks_.erase(found);
}

asio::awaitable<void> LogShippers::flush(std::string task_arn) {
  const Steady::time_point end = Steady::now() + kFlushWithin;
  for (;;) {
    const auto found = tasks_.find(task_arn);
    const Steady::time_point now = Steady::now();
    if (found == tasks_.end() || now >= end || machine_.stopping) co_return;
    const bool waits = std::ranges::any_of(found->second.containers, [](const Container& container) {
      return container.shipper && !container.shipper->done() && !container.shipper->failing();
    });
    if (!waits) co_return;
    co_await changed_.wait(std::chrono::ceil<base::Duration>(end - now));
  }
}

bool LogShippers::has_unsent(const std::string& task_arn) const {
  const auto found = tasks_.find(task_arn);
  return found != tasks_.end() && std::ranges::any_of(found->second.containers, [](const Container& container) {
           return container.shipper && !container.shipper->done();
         });
}

void LogShippers::retry_now() {
  for (auto& [arn, task] : tasks_) {
    for (Container& container : task.containers) {
      if (container.shipper && container.shipper->failing()) container.shipper->retry_now();
    }
  }
}

asio::awaitable<void> LogShippers::end() {
  coroutines_.cancel();
  watch_.coroutines().cancel();
  co_await coroutines_.ended();
  co_await watch_.coroutines().ended();
}

}  // namespace agent
