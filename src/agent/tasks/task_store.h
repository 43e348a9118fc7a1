// SPDX-License-Identifier: Apache-2.0
// What the agent knows of its tasks, on disk: one file a task. A task is acknowledged only once it
// is here, and what was not reported yet is reported after a restart.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "shapes/agent/task.h"
#include "shapes/ecs/task.h"

namespace agent {

inline constexpr const char* kPending = "PENDING";
inline constexpr const char* kRunning = "RUNNING";
inline constexpr const char* kStopped = "STOPPED";

struct ContainerRecord {
  std::string name;
  std::string endpointId;  // in the URLs of its metadata: nobody can guess it
  std::string id;          // the driver's; "" until it is made
  std::string status = kPending;
  std::string reported;  // the last status that the server acknowledged
  std::optional<std::int32_t> exitCode;
  std::optional<std::string> reason;
  std::optional<std::string> imageDigest;
  std::vector<shapes::ecs::NetworkBinding> bindings;
  std::string address;
  std::optional<base::Time> createdAt, startedAt, finishedAt;
  std::int32_t restarts = 0;
  std::optional<std::string> health;  // none: it has no check
  std::optional<base::Time> healthSince;
};
BOOST_DESCRIBE_STRUCT(ContainerRecord, (), (name, endpointId, id, status, reported, exitCode, reason, imageDigest, bindings,
    address, createdAt, startedAt, finishedAt, restarts, health, healthSince))

struct TaskRecord {
  shapes::agent::Task task;
  std::string desired = kRunning;  // STOPPED: by the server, or because an essential container ended
  std::string reason;              // why it stopped, as far as this machine knows
  std::vector<ContainerRecord> containers;  // in the order of the task's
  std::optional<base::Time> pullStartedAt, pullStoppedAt, executionStoppedAt;
  std::string reported;  // the last status that the server acknowledged
};
BOOST_DESCRIBE_STRUCT(TaskRecord, (), (task, desired, reason, containers, pullStartedAt, pullStoppedAt,
    executionStoppedAt, reported))

TaskRecord new_record(shapes::agent::Task task);

// PENDING, RUNNING or STOPPED, by its containers. One without any is STOPPED.
std::string known_status(const TaskRecord& record);

// "3f2a..." of "arn:aws:ecs:...:task/default/3f2a..."; "" for what can't be a file's name.
std::string task_id(const std::string& arn);

class TaskStore {
 public:
  // Throws std::runtime_error where `folder` can't be written.
  explicit TaskStore(std::string folder);

  // A file that can't be read is set aside as `.damaged`, and logged.
  std::vector<TaskRecord> load();
  // Returns when it is on disk; throws std::runtime_error.
  void save(const TaskRecord& record);
  // The task with its logs and its work folder.
  void forget(const std::string& arn);

  std::string log_file(const std::string& arn, const std::string& container) const;
  std::string work_folder(const std::string& arn) const;

 private:
  std::string file(const std::string& arn) const;

  std::string folder_;
};

}  // namespace agent
