// SPDX-License-Identifier: Apache-2.0
// The agent's records of its tasks, on disk: one file per task. A task is acknowledged only once its
// file is written, and states that are not reported yet are reported after a restart.
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
  std::string endpointId;  // in its metadata URLs; unguessable
  std::string id;          // assigned by the driver; "" until it is created
  std::string status = kPending;
  std::string reported;  // the last status that the server acknowledged
  std::optional<std::int32_t> exitCode;
  std::optional<std::string> reason;
  std::optional<std::string> imageDigest, imageId;
  std::vector<shapes::ecs::NetworkBinding> bindings;
  std::string address;
  std::optional<base::Time> createdAt, startedAt, finishedAt;
  std::int32_t restarts = 0;
  std::optional<std::string> health;  // absent: it has no health check
  std::optional<base::Time> healthSince;
};
BOOST_DESCRIBE_STRUCT(ContainerRecord, (),
                      (name, endpointId, id, status, reported, exitCode, reason, imageDigest, imageId, bindings, address,
                       createdAt, startedAt, finishedAt, restarts, health, healthSince))

struct TaskRecord {
  shapes::agent::Task task;
  std::string desired = kRunning;           // STOPPED: requested by the server, or an essential container ended
  std::string reason;                       // why it stopped; "" where only the server knows
  std::vector<ContainerRecord> containers;  // in the order of task.containers
  std::optional<base::Time> pullStartedAt, pullStoppedAt, executionStoppedAt;
  std::string reported;  // the last status that the server acknowledged
};
BOOST_DESCRIBE_STRUCT(TaskRecord, (),
                      (task, desired, reason, containers, pullStartedAt, pullStoppedAt, executionStoppedAt, reported))

TaskRecord new_record(shapes::agent::Task task);

// PENDING, RUNNING or STOPPED, from the statuses of its containers. A task without containers is STOPPED.
std::string known_status(const TaskRecord& record);

// "3f2a..." of "arn:aws:ecs:...:task/default/3f2a..."; "" where the id cannot be a file name.
std::string task_id(const std::string& arn);

class TaskStore {
 public:
  // Throws std::runtime_error where `folder` is not writable.
  explicit TaskStore(std::string folder);

  // An unreadable file is logged and renamed to `.damaged`.
  std::vector<TaskRecord> load();
  // Returns once the record is on disk. Throws std::runtime_error.
  void save(const TaskRecord& record);
  // Deletes the record, the logs and the work folder.
  void remove(const std::string& arn);

  std::string log_file(const std::string& arn, const std::string& container) const;
  // Of all log files of the task.
  std::int64_t log_bytes(const std::string& arn) const;
  std::string work_folder(const std::string& arn) const;

 private:
  std::string file(const std::string& arn) const;

  std::string folder_;
};

}  // namespace agent
