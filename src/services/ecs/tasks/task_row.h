// SPDX-License-Identifier: Apache-2.0
// A task and the launch that it came from: their rows, and how requests name them.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/instance.h"
#include "model/task_status.h"
#include "services/call.h"
#include "services/ecs/clusters/cluster.h"
#include "services/ecs/tasks/task_name.h"
#include "shapes/ecs/state_change.h"
#include "shapes/ecs/task.h"

namespace services::ecs {

// "Stopped tasks stay visible for an hour."
inline constexpr base::Duration kStoppedFor = std::chrono::hours(1);

// What a task takes of its machine, as it is stored.
struct GpuHeld {
  std::string gpu, container;
  std::int64_t shared_mib = 0;
};
BOOST_DESCRIBE_STRUCT(GpuHeld, (), (gpu, container, shared_mib))

struct Holds {
  std::int64_t cpu = 0, memory = 0;
  std::optional<std::vector<std::int32_t>> tcp, udp;
  std::optional<std::int32_t> dynamic;
  std::optional<std::vector<GpuHeld>> gpus;
};
BOOST_DESCRIBE_STRUCT(Holds, (), (cpu, memory, tcp, udp, dynamic, gpus))

// Of all tasks of a launch, by their place in it.
struct HoldsOfLaunch {
  std::vector<Holds> tasks;
};
BOOST_DESCRIBE_STRUCT(HoldsOfLaunch, (), (tasks))

// How ecs_tasks has a known status: its place in a task's life, which is shorter than its name.
constexpr std::int64_t to_code(model::TaskStatus status) { return static_cast<std::int64_t>(status); }
static_assert(to_code(model::TaskStatus::Pending) == 1 && to_code(model::TaskStatus::Running) == 3);

// What an agent said of a task last.
struct Report {
  std::vector<shapes::ecs::ContainerStateChange> containers;
  std::map<std::string, std::string> health;  // by container
  std::optional<base::Time> pullStartedAt, pullStoppedAt, executionStoppedAt;
};
BOOST_DESCRIBE_STRUCT(Report, (), (containers, health, pullStartedAt, pullStoppedAt, executionStoppedAt))

// What the tasks of one RunTask or StartTask have in common, as it is stored.
struct Launch {
  std::optional<shapes::ecs::TaskOverride> overrides;
  std::optional<shapes::ecs::NetworkConfiguration> networkConfiguration;
  std::vector<shapes::ecs::Tag> tags;
  bool enableExecuteCommand = false;
  std::optional<std::string> referenceId;
  std::optional<std::vector<shapes::ecs::Failure>> failures;
};
BOOST_DESCRIBE_STRUCT(Launch, (), (overrides, networkConfiguration, tags, enableExecuteCommand, referenceId, failures))

struct StoredLaunch {
  std::int64_t id = 0, cluster = 0, definition = 0;
  std::string group;
  std::optional<std::string> started_by, client_token;
  std::string asked;
  Launch body;
  base::Time created_at;
};

// What changes of a task, and what it is known by.
struct TaskState {
  TaskName name;
  std::string id;                     // the same as text
  std::optional<std::string> old_id;  // of one whose id was not made of its name
  std::int64_t cluster = 0;
  std::int64_t instance_number = 0;
  model::TaskStatus known = model::TaskStatus::Pending;
  model::DesiredStatus desired = model::DesiredStatus::Running;
  std::int64_t version = 1;
  bool delivered = false;
  std::optional<Report> report;
  std::optional<std::vector<shapes::ecs::Tag>> tags;
  std::optional<std::string> credentials;     // the key that it was given last
  std::optional<std::string> credentials_id;  // what its containers ask their agent for
  std::optional<base::Time> started_at, stopping_at, stopped_at;
  std::optional<std::string> stop_code, stopped_reason;

  std::int64_t launch() const { return launch_of(name); }
};

// With what was settled when it was placed, which costs more to read than all that changes.
struct StoredTask : TaskState {
  std::string instance;
  Holds holds;
  base::Time created_at;
};

Holds to_holds(const model::TaskHold& hold);
std::string task_arn(const StoredCluster& cluster, const std::string& id);
// The id that a request means by an id or an ARN; nullopt for another cluster's ARN.
std::optional<std::string> task_id(const StoredCluster& cluster, std::string_view text);
// Made of its task's id and its name: the same each time it is asked for.
std::string container_arn(const StoredCluster& cluster, const std::string& task, const std::string& container);

std::int64_t insert_launch(store::Tx& tx, const StoredLaunch& launch);
std::optional<StoredLaunch> load_launch(store::Tx& tx, std::int64_t id);
std::optional<StoredLaunch> load_launch(store::Tx& tx, std::int64_t cluster, const std::string& client_token);

// All those of a launch, in the order of their names.
void insert_tasks(store::Tx& tx, const std::vector<StoredTask>& tasks);
// Its version counts up.
void update_task(store::Tx& tx, TaskState& task);
std::optional<StoredTask> load_task(store::Tx& tx, const std::string& id);
std::optional<StoredTask> load_task(store::Tx& tx, const StoredCluster& cluster, std::string_view text);
std::optional<TaskState> load_task_state(store::Tx& tx, const StoredCluster& cluster, std::string_view text);
std::vector<StoredTask> load_tasks_of_launch(store::Tx& tx, std::int64_t launch);
// Those of an instance that have not STOPPED, in the order in which they came.
std::vector<StoredTask> load_tasks_on(store::Tx& tx, const std::string& instance);
// Of those, the ones that their agent may not know of, and the ones that are to stop.
std::vector<StoredTask> load_tasks_to_tell(store::Tx& tx, const std::string& instance);

// Of those, the ones that their agent has and whose access key ends before `when`.
std::vector<std::string> tasks_to_renew(store::Tx& tx, std::int64_t instance_number, base::Time when);

// What those hold, for the scheduler.
std::vector<model::TaskHold> holds_on(store::Tx& tx, const std::string& instance);

// Ends a task without its agent's word: its resources are free, its access key is gone.
void stop_now(Call& call, TaskState& task, model::StopCode code, const std::string& reason);

// Its agent has something to be told.
std::string instance_topic(const std::string& instance);
// Somebody may wait for a task to change.
std::string task_topic(const std::string& task);
// Stopped tasks and lost machines are looked after there.
inline constexpr std::string_view kTaskSweepTopic = "ecs/sweep";

}  // namespace services::ecs
