// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/task_store.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "agent/durable_file.h"
#include "base/check.h"
#include "base/log.h"
#include "base/random.h"
#include "model/container.h"
#include "wire/error.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace agent {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMaxIdLength = 128;

bool is_file_name(std::string_view text) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  return !text.empty() && text.size() <= kMaxIdLength && text.find_first_not_of(kAllowed) == text.npos;
}

TaskRecord read_record(const std::string& path) {
  std::optional<std::string> text = read_file(path);
  if (!text) throw std::runtime_error("the file is unreadable");
  TaskRecord record;
  try {
    wire::read_json(wire::type_of<TaskRecord>(), *text, &record);
  } catch (const wire::ApiError&) {  // its message is empty
    throw std::runtime_error("the file is not a task record in JSON");
  }
  if (task_id(record.task.arn) + ".json" != fs::path(path).filename())
    throw std::runtime_error("the file name does not match the task");
  if (record.containers.size() != record.task.containers.size())
    throw std::runtime_error("the containers do not match the task's");
  return record;
}

}  // namespace

TaskRecord new_record(shapes::agent::Task task) {
  TaskRecord record;
  record.desired = task.desiredStatus == kStopped ? kStopped : kRunning;
  for (const auto& container : task.containers) {
    ContainerRecord created;
    created.name = container.name;
    created.endpointId = base::random_uuid();
    if (container.healthCheckType) created.health = "UNKNOWN";
    record.containers.push_back(std::move(created));
  }
  record.task = std::move(task);
  return record;
}

std::string known_status(const TaskRecord& record) {
  std::vector<model::ContainerState> states;
  for (std::size_t i = 0; i < record.containers.size(); ++i) {
    model::ContainerState state;
    state.essential = record.task.containers[i].essential;
    state.status = model::container_status(record.containers[i].status).value_or(model::ContainerStatus::Pending);
    states.push_back(state);
  }
  const model::TaskStatus status = model::known_status(states);
  // A task was never RUNNING as a whole if one container failed to start while others ran.
  const bool failed = std::ranges::any_of(record.containers, [](const ContainerRecord& container) {
    return container.status == kStopped && !container.startedAt;
  });
  if (status == model::TaskStatus::Running && failed && record.reported.empty() && record.desired == kStopped) {
    return kPending;
  }
  return std::string(model::text(status));
}

std::string task_id(const std::string& arn) {
  std::string id = arn.substr(arn.rfind('/') + 1);
  return is_file_name(id) ? id : "";
}

TaskStore::TaskStore(std::string folder) : folder_(std::move(folder)) {
  for (const char* part : {"/tasks", "/logs", "/work"}) create_folder(folder_ + part);
}

std::vector<TaskRecord> TaskStore::load() {
  std::vector<std::string> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ + "/tasks")) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  std::vector<TaskRecord> records;
  for (const std::string& path : paths) {
    try {
      records.push_back(read_record(path));
    } catch (const std::exception& error) {
      base::log_error("damaged task file renamed", {{"file", path}, {"error", error.what()}});
      std::error_code ignored;
      fs::rename(path, path + ".damaged", ignored);
    }
  }
  return records;
}

void TaskStore::save(const TaskRecord& record) {
  std::string text;
  wire::write_json(wire::type_of<TaskRecord>(), &record, text);
  write_durably(file(record.task.arn), text);
}

void TaskStore::remove(const std::string& arn) {
  const std::string id = task_id(arn);
  CHECK(!id.empty()) << "task ARN without an id: " << arn;
  std::error_code ignored;
  fs::remove_all(folder_ + "/logs/" + id, ignored);
  fs::remove_all(folder_ + "/work/" + id, ignored);
  remove_durably(file(arn));
}

std::string TaskStore::log_file(const std::string& arn, const std::string& container) const {
  const std::string folder = folder_ + "/logs/" + task_id(arn);
  create_folder(folder);
  return folder + "/" + container + ".log";
}

std::int64_t TaskStore::log_bytes(const std::string& arn) const {
  std::int64_t bytes = 0;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ + "/logs/" + task_id(arn), failed)) {
    std::error_code gone;
    const std::uintmax_t size = entry.file_size(gone);
    if (!gone) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

std::string TaskStore::work_folder(const std::string& arn) const {
  const std::string folder = folder_ + "/work/" + task_id(arn);
  // The driver may give it to the user of the task's first container; later ones leave it so.
  if (!fs::exists(folder)) create_folder(folder);
  return folder;
}

std::string TaskStore::file(const std::string& arn) const { return folder_ + "/tasks/" + task_id(arn) + ".json"; }

}  // namespace agent
