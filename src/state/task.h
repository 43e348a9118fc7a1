// SPDX-License-Identifier: Apache-2.0
// Tasks. Those that have not stopped are in one table, the others in another.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/instance.h"
#include "model/task_status.h"
#include "state/row_number.h"
#include "state/task_name.h"
#include "store/store.h"

namespace state {

// How the table encodes a known status: its position in a task's life.
constexpr std::int64_t to_code(model::TaskStatus status) { return static_cast<std::int64_t>(status); }
static_assert(to_code(model::TaskStatus::Pending) == 1 && to_code(model::TaskStatus::Running) == 3);

// What identifies a task, and what changes of it.
struct TaskState {
  TaskName name;
  model::TaskId id;  // the same as text
  ClusterNumber cluster{};
  std::int64_t machine_number = 0;  // 0: it waits for capacity, or did so until it stopped
  model::TaskStatus known = model::TaskStatus::Pending;
  model::DesiredStatus desired = model::DesiredStatus::Running;
  std::int64_t version = 1;
  bool delivered = false;  // its agent acknowledged it
  std::optional<std::string> report_json;  // what its agent reported last: only its writer interprets it
  std::optional<std::string> tags_json;    // where they differ from those of its launch
  std::optional<std::string> credentials;     // its current access key
  std::optional<std::string> credentials_id;  // by which its containers request them from their agent
  std::optional<base::Time> started_at, stopping_at, stopped_at;
  std::optional<std::string> stop_code, stopped_reason;
  std::optional<base::Time> protected_until;  // from scale-in and deployments; only tasks of services can be
  std::optional<std::string> provider;  // its capacity provider

  LaunchNumber launch() const { return name.launch(); }
  bool is_waiting() const { return known == model::TaskStatus::Provisioning; }
};

// With what its placement settled, which costs more to read than all that changes.
struct Task : TaskState {
  model::InstanceId machine;  // "" where machine_number is 0
  model::TaskHold hold;  // resources only: its group and status are not set
  base::Time created_at;
};

// A change of this task was committed.
std::string task_topic(const model::TaskId& task);
// The background work on stopped tasks and lost machines has to look again.
inline constexpr std::string_view kTaskSweepTopic = "ecs/sweep";

// All tasks of a launch, in the order of their names.
void insert_tasks(store::Tx& tx, const std::vector<Task>& tasks);
// Increments its version. Only version and tags of a stopped task can change.
void update_task(store::Tx& tx, TaskState& task);
// Moves a task whose known status has become STOPPED to the other table; increments its version.
void move_to_stopped(store::Tx& tx, TaskState& task);
void set_delivered(store::Tx& tx, const TaskName& name);
// Of a task that has not stopped; nullopt: no protection.
void set_protection(store::Tx& tx, const TaskName& name, std::optional<base::Time> until);

std::optional<Task> find_task(store::Tx& tx, const model::TaskId& id);
std::optional<TaskState> find_task_state(store::Tx& tx, const model::TaskId& id);
std::vector<Task> list_tasks_of_launch(store::Tx& tx, LaunchNumber launch);
// The tasks of a machine that have not stopped, oldest first.
std::vector<Task> list_tasks_on(store::Tx& tx, const model::InstanceId& machine);
// Of these, the ones that their agent may not have yet, and the ones that are to stop.
std::vector<Task> list_undelivered(store::Tx& tx, const model::InstanceId& machine);
// What all of them hold, with group and status, for the scheduler.
std::vector<model::TaskHold> list_holds(store::Tx& tx, const model::InstanceId& machine);

// Tasks that wait for capacity: they have no machine, and hold nothing.
std::vector<Task> list_waiting(store::Tx& tx, ClusterNumber cluster);  // oldest first
std::int64_t count_waiting(store::Tx& tx, ClusterNumber cluster);
// PENDING from now on, on the machine and with the resources that it has got. Increments its version.
void place_waiting(store::Tx& tx, Task& task);
// Whether a task that has not stopped belongs to this capacity provider.
bool has_tasks_of_provider(store::Tx& tx, ClusterNumber cluster, const std::string& provider);

// Tasks of a cluster, by number.
struct TaskFilter {
  enum class Kind { Running, Stopping, Stopped };

  ClusterNumber cluster{};
  Kind kind = Kind::Running;  // by desired status; Stopped: in fact
  std::int64_t after = 0;
  std::optional<std::int64_t> machine_number = {};
  std::optional<std::string> started_by = {}, family = {};
  std::optional<ServiceNumber> service = {};
  std::optional<bool> external = {};  // of this launch type
  std::int64_t most = 0;
};
std::vector<TaskName> list_task_names(store::Tx& tx, const TaskFilter& filter);

// What has not stopped on a machine. Tasks that are to stop count: they may be saving their work.
enum class MachineWork { None, DaemonsOnly, Tasks };
MachineWork work_on(store::Tx& tx, std::int64_t machine_number);

// How many tasks of all clusters have each known status; STOPPED ones are not counted.
std::vector<std::pair<model::TaskStatus, std::int64_t>> count_tasks(store::Tx& tx);

// Deletes the first `most` stopped tasks as far as they stopped at or before `until`, or after `future`: that
// happens where the clock was set back, and would keep all others from being deleted. Returns their launches.
struct StoppedRange {
  base::Time until, future;
  std::int64_t most = 0;
};
std::set<LaunchNumber> delete_stopped(store::Tx& tx, const StoppedRange& range);
// When the task at the head of the stopped ones stopped.
std::optional<base::Time> first_stopped(store::Tx& tx);

// The access keys of tasks. A task has a new key from time to time; `until` is when the key ends that its
// agent has acknowledged, and long past where its agent has lost it.
void set_credentials(store::Tx& tx, const TaskState& task, base::Time until);
void acknowledge_credentials(store::Tx& tx, std::int64_t task_number, base::Time until);
void mark_credentials_lost(store::Tx& tx, std::int64_t machine_number);
struct TaskCredentials {
  std::int64_t task_number = 0;
  std::string key;
};
std::optional<TaskCredentials> find_credentials(store::Tx& tx, std::int64_t machine_number,
                                                const std::string& credentials_id);
// Delivered tasks of a machine whose acknowledged key ends at or before `until`.
std::vector<model::TaskId> list_ending_credentials(store::Tx& tx, std::int64_t machine_number, base::Time until);

}  // namespace state
