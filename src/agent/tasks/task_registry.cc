// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/task_registry.h"

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>

#include "base/log.h"

namespace agent {
namespace asio = boost::asio;
namespace {

constexpr base::Duration kOrphanGrace = std::chrono::seconds(10);
constexpr base::Duration kSweepEvery = std::chrono::minutes(1);
// A task whose output is not sent is kept longer than others, but not for ever.
constexpr base::Duration kKeepUnsentLogs = std::chrono::hours(24);
constexpr std::size_t kMaxName = 255;  // Amazon's limit for a container

// A container's name becomes a file name.
bool is_container_name(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  return !name.empty() && name.size() <= kMaxName && name.find_first_not_of(kAllowed) == name.npos;
}

// Makes the record one of a task that stopped before it started.
void reject(TaskRecord& record, const std::string& reason, base::Time now) {
  record.desired = kStopped;
  record.reason = reason;
  record.executionStoppedAt = now;
  for (ContainerRecord& container : record.containers) container.status = kStopped;
}

}  // namespace

TaskRunner& TaskRegistry::add(TaskRecord record) {
  const std::string arn = record.task.arn;
  std::unique_ptr<TaskRunner>& place = runners_[arn];
  place = std::make_unique<TaskRunner>(machine_, std::move(record));
  return *place;
}

void TaskRegistry::begin(TaskRunner& runner) {
  runner.start();
  runner.coroutines().spawn("reports", deliver_reports(machine_, runner, submit_));
}

asio::awaitable<std::vector<drivers::Found>> TaskRegistry::list() {
  for (;;) {
    base::Result<std::vector<drivers::Found>> found = co_await machine_.driver.list();
    if (found) co_return *found;
    base::log_error("containers not listed", {{"error", found.error()}});
    co_await sleep_for(machine_.timing.retry);
  }
}

asio::awaitable<void> TaskRegistry::adopt() {
  std::vector<drivers::Found> found = co_await list();
  std::map<std::string, std::vector<drivers::Found>> by_task;
  for (drivers::Found& one : found) by_task[one.task_arn].push_back(std::move(one));
  // All running tasks claim their GPUs before any other task may ask for one.
  for (TaskRecord& record : machine_.store.load()) {
    TaskRunner& runner = add(std::move(record));
    std::vector<drivers::Found>& of_task = by_task[runner.arn()];
    of_task = runner.adopt(std::move(of_task));
  }
  for (auto& [arn, strays] : by_task) {
    for (drivers::Found& orphan : strays) orphans_.spawn("orphan", remove_orphan(std::move(orphan)));
  }
  co_await orphans_.ended();
  if (machine_.stopping) co_return;
  for (const auto& [arn, runner] : runners_) begin(*runner);
}

asio::awaitable<void> TaskRegistry::remove_orphan(drivers::Found orphan) {
  base::log_warn("orphaned container found", {{"id", orphan.id}, {"task", orphan.task_arn}});
  co_await stop_and_remove(machine_, orphan.id, kOrphanGrace);
  if (knows(orphan.task_arn)) co_return;
  base::Result<drivers::Nothing> cleaned = co_await machine_.driver.clean_up(orphan.task_arn);
  if (!cleaned) base::log_warn("orphaned task not cleaned up", {{"task", orphan.task_arn}, {"error", cleaned.error()}});
}

void TaskRegistry::accept(shapes::agent::Task task) {
  auto known = runners_.find(task.arn);
  if (known != runners_.end()) {
    if (task.desiredStatus == kStopped) known->second->stop("");
    return;
  }
  if (task_id(task.arn).empty()) throw std::runtime_error("invalid task ARN: " + task.arn);
  const bool named =
      std::ranges::all_of(task.containers, [](const auto& container) { return is_container_name(container.name); });
  TaskRecord record = new_record(std::move(task));
  if (!named || record.containers.empty()) {
    reject(record, "Task failed to start: it has no containers, or a container with an invalid name",
           machine_.clock.now());
  }
  if (!closed_.empty()) reject(record, closed_, machine_.clock.now());
  machine_.store.save(record);
  base::log_info("task accepted", {{"task", record.task.arn}, {"desired", record.desired}});
  begin(add(std::move(record)));
}

void TaskRegistry::accept_lost(const std::string& arn, const std::string& cluster_arn, const std::string& reason) {
  if (knows(arn) || task_id(arn).empty()) return;
  TaskRecord record;
  record.task.arn = arn;
  record.task.taskClusterArn = cluster_arn;
  reject(record, reason, machine_.clock.now());
  machine_.store.save(record);
  base::log_warn("unknown task reported as stopped", {{"task", arn}});
  begin(add(std::move(record)));
}

void TaskRegistry::set_credentials(const shapes::agent::IAMRoleCredentialsMessage& message) {
  auto found = runners_.find(message.taskArn);
  if (found == runners_.end()) return;
  found->second->update([&](TaskRecord& record) {
    const bool execution = message.roleType == "TaskExecution";
    (execution ? record.task.executionRoleCredentials : record.task.roleCredentials) = message.roleCredentials;
  });
}

void TaskRegistry::stop(const std::string& arn, const std::string& reason) {
  auto found = runners_.find(arn);
  if (found != runners_.end()) found->second->stop(reason);
}

void TaskRegistry::report_again(const std::string& arn) {
  auto found = runners_.find(arn);
  if (found == runners_.end() || found->second->record().reported != kStopped) return;
  TaskRunner& runner = *found->second;
  runner.update([](TaskRecord& record) { record.reported.clear(); });
  runner.coroutines().spawn("reports", deliver_reports(machine_, runner, submit_));
}

const TaskRunner* TaskRegistry::find(const std::string& arn) const {
  auto found = runners_.find(arn);
  return found == runners_.end() ? nullptr : found->second.get();
}

std::vector<const TaskRunner*> TaskRegistry::all() const {
  std::vector<const TaskRunner*> tasks;
  for (const auto& [arn, runner] : runners_) tasks.push_back(runner.get());
  return tasks;
}

std::vector<shapes::agent::TaskIdentifier> TaskRegistry::running() const {
  std::vector<shapes::agent::TaskIdentifier> tasks;
  for (const auto& [arn, runner] : runners_) {
    if (runner->has_ended()) continue;
    tasks.push_back({arn, runner->record().task.taskClusterArn, runner->record().desired});
  }
  return tasks;
}

asio::awaitable<void> TaskRegistry::stop_all(std::string reason) {
  for (const auto& [arn, runner] : runners_) runner->stop(reason);
  while (!running().empty()) {
    co_await machine_.changed.wait(kLongestWait);
  }
}

void TaskRegistry::close(const std::string& reason) {
  closed_ = reason;
  for (const auto& [arn, runner] : runners_) runner->stop(reason);
}

asio::awaitable<bool> TaskRegistry::all_ended(base::Duration within) {
  const base::Time until = machine_.clock.now() + within;
  while (!running().empty() && machine_.clock.now() < until) {
    co_await machine_.changed.wait(until - machine_.clock.now());
  }
  co_return running().empty();
}

asio::awaitable<bool> TaskRegistry::all_reported(base::Duration within) {
  const base::Time until = machine_.clock.now() + within;
  auto unreported = [](const auto& entry) { return entry.second->record().reported != kStopped; };
  while (std::ranges::any_of(runners_, unreported) && machine_.clock.now() < until) {
    co_await machine_.changed.wait(until - machine_.clock.now());
  }
  co_return std::ranges::none_of(runners_, unreported);
}

asio::awaitable<bool> TaskRegistry::remove_containers() {
  bool all = true;
  const std::vector<drivers::Found> found = co_await list();
  for (const drivers::Found& one : found) {
    base::Result<drivers::Nothing> removed = co_await machine_.driver.remove(one.id);
    if (!removed) base::log_error("container not removed", {{"id", one.id}, {"error", removed.error()}});
    if (!removed) all = false;
  }
  for (const auto& [arn, runner] : runners_) {
    base::Result<drivers::Nothing> cleaned = co_await machine_.driver.clean_up(arn);
    if (!cleaned) base::log_warn("task not cleaned up", {{"task", arn}, {"error", cleaned.error()}});
    if (!cleaned) all = false;
  }
  co_return all;
}

bool TaskRegistry::may_delete(const TaskRecord& record) const {
  if (record.reported != kStopped || !record.executionStoppedAt) return false;
  const base::Duration age = machine_.clock.now() - *record.executionStoppedAt;
  return age >= kKeepUnsentLogs || !machine_.has_unsent_logs || !machine_.has_unsent_logs(record.task.arn);
}

// Stopped tasks that were kept long enough, and the oldest ones while their logs exceed the limit.
std::vector<std::string> TaskRegistry::due() const {
  std::vector<const TaskRecord*> stopped;
  for (const auto& [arn, runner] : runners_) {
    if (may_delete(runner->record())) stopped.push_back(&runner->record());
  }
  std::ranges::sort(stopped, std::greater(), [](const TaskRecord* record) { return *record->executionStoppedAt; });
  std::vector<std::string> arns;
  std::int64_t log_bytes = 0;
  for (const TaskRecord* record : stopped) {
    log_bytes += machine_.store.log_bytes(record->task.arn);
    const bool old = machine_.clock.now() - *record->executionStoppedAt >= keep_stopped_;
    if (old || log_bytes > machine_.max_log_bytes) arns.push_back(record->task.arn);
  }
  return arns;
}

asio::awaitable<void> TaskRegistry::sweep() {
  for (;;) {
    std::vector<std::string> arns = due();
    std::vector<drivers::Found> found;
    if (!arns.empty()) {
      std::vector<drivers::Found> listed = co_await list();
      found = std::move(listed);
    }
    for (const std::string& arn : arns) {
      try {
        co_await remove(arn, found);
      } catch (const std::exception& error) {
        if (machine_.stopping) throw;
        base::log_error("stopped task not deleted", {{"task", arn}, {"error", error.what()}});
      }
    }
    co_await sleep_for(std::clamp(keep_stopped_, base::Duration(1), kSweepEvery));
  }
}

// Also removes containers whose id is missing in the record because the driver's reply was lost.
asio::awaitable<void> TaskRegistry::remove(std::string arn, const std::vector<drivers::Found>& found) {
  TaskRunner& runner = *runners_.at(arn);
  std::set<std::string> ids;
  for (const ContainerRecord& container : runner.record().containers) ids.insert(container.id);
  for (const drivers::Found& one : found) {
    if (one.task_arn == arn) ids.insert(one.id);
  }
  ids.erase("");
  for (const std::string& id : ids) {
    base::Result<drivers::Nothing> removed = co_await machine_.driver.remove(id);
    if (removed) continue;
    base::log_error("container not removed", {{"id", id}, {"error", removed.error()}});
    co_return;
  }
  base::Result<drivers::Nothing> cleaned = co_await machine_.driver.clean_up(arn);
  if (!cleaned) base::log_warn("task not cleaned up", {{"task", arn}, {"error", cleaned.error()}});
  // The server may have requested the report again meanwhile.
  if (!runner.coroutines().empty()) co_return;
  machine_.store.remove(arn);
  if (machine_.on_remove) machine_.on_remove(runner.record());
  runners_.erase(arn);
  base::log_info("stopped task deleted", {{"task", arn}});
}

asio::awaitable<void> TaskRegistry::detach() {
  for (const auto& [arn, runner] : runners_) runner->coroutines().cancel();
  orphans_.cancel();
  machine_.pulls.running().cancel();
  for (const auto& [arn, runner] : runners_) {
    co_await runner->coroutines().ended();
  }
  co_await orphans_.ended();
  co_await machine_.pulls.running().ended();
}

}  // namespace agent
