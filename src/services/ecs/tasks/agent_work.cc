// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/agent_work.h"

#include <algorithm>

#include "base/random.h"
#include "services/ecs/machines/departure.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/tasks/payload.h"
#include "services/ecs/tasks/task_view.h"
#include "state/keys.h"
#include "wire/error.h"
#include "wire/timestamp.h"

namespace services::ecs {
namespace {

using shapes::agent::Credentials;
using shapes::agent::TaskIdentifier;

// Of a task's credentials; Amazon's are good for six hours, too.
constexpr base::Duration kCredentialsFor = std::chrono::hours(6);
constexpr base::Duration kRenewBefore = std::chrono::hours(1);
// Tasks in one payload: a frame has a limit.
constexpr std::size_t kMaxTasksAtOnce = 20;

wire::ApiError inactive() {
  return wire::ApiError("InactiveInstanceException", "The container instance was deregistered.");
}

TaskIdentifier identifier(const StoredCluster& cluster, const StoredTask& task) {
  return {task_arn(cluster, task.id), cluster.arn(), std::string(model::text(task.desired))};
}

Credentials to_credentials(const StoredTask& task, const state::Key& key, const std::optional<std::string>& role) {
  Credentials out;
  out.credentialsId = task.credentials_id.value_or("");
  out.roleArn = role;
  out.accessKeyId = key.id;
  out.secretAccessKey = key.secret;
  out.sessionToken = key.session_token.value_or("");
  out.expiration = wire::to_iso8601(*key.expires_at);
  return out;
}

// A key for the task, which ends with the key of the agent that is given it. None where that is a
// temporary one: those have no children. The id that containers ask with is in their environment, so
// it stays. When the first key ends is when the next is due, until the agent has that.
std::optional<state::Key> give_key(Call& call, StoredTask& task) {
  const auto parent = state::find_key(call.tx, call.caller.access_key);
  if (!parent || parent->session_token) return std::nullopt;
  state::Key key = state::new_session_key(*parent, call.now, call.now + kCredentialsFor);
  if (!state::insert_key(call.tx, key)) return std::nullopt;
  if (!task.credentials_id) task.credentials_id = base::random_uuid();
  call.tx.exec(
      "UPDATE ecs_tasks SET credentials = $2, credentials_id = $3, credentials_until = COALESCE(credentials_until, $4)"
      " WHERE id = $1",
      task.name.number, key.id, task.credentials_id, *key.expires_at);
  return key;
}

// The same key under an id of its own: agents keep credentials by their ids, and of what kind they are.
Credentials to_execution_credentials(const StoredTask& task, const state::Key& key, const std::string& role) {
  Credentials out = to_credentials(task, key, role);
  out.credentialsId += "-execution";
  return out;
}

std::optional<std::string> execution_role_of(const StoredTaskDefinition& definition, const StoredLaunch& launch) {
  if (launch.body.overrides && launch.body.overrides->executionRoleArn) return launch.body.overrides->executionRoleArn;
  return definition.body.executionRoleArn;
}

std::optional<std::string> role_of(const StoredTaskDefinition& definition, const StoredLaunch& launch) {
  if (launch.body.overrides && launch.body.overrides->taskRoleArn) return launch.body.overrides->taskRoleArn;
  return definition.body.taskRoleArn;
}

// The key that it has, where it is still good, else a new one.
std::optional<state::Key> key_of(Call& call, StoredTask& task) {
  if (task.credentials) {
    auto key = state::find_key(call.tx, *task.credentials);
    if (key && key->expires_at && *key->expires_at > call.now + kRenewBefore) return key;
  }
  return give_key(call, task);
}

std::string told_key(const StoredTask& task) { return task.id + "/" + std::string(model::text(task.desired)); }

void check_still_admitted(Call& call, const Admitted& home) {
  const auto key = state::find_key(call.tx, call.caller.access_key);
  if (!key || (key->expires_at && *key->expires_at <= call.now)) {
    throw wire::ApiError("AccessDeniedException", "The access key that this session was opened with is no more.");
  }
  const auto instance = load_instance(call.tx, home.instance.id);
  if (!instance || instance->status == model::InstanceStatus::Inactive) throw inactive();
}

}  // namespace

Admitted admit(Call& call, const std::string& cluster, const std::string& instance) {
  Admitted home{find_cluster(call, cluster), {}};
  auto found = load_instance(call.tx, home.cluster, instance);
  if (!found) throw wire::ApiError("InvalidInstanceException", "The container instance is not registered.");
  if (found->status == model::InstanceStatus::Inactive) {
    throw inactive();
  }
  home.instance = std::move(*found);
  return home;
}

void set_connected(Call& call, const std::string& instance, bool connected) {
  auto stored = load_instance(call.tx, instance);
  if (!stored || stored->status == model::InstanceStatus::Inactive || stored->connected == connected) return;
  stored->connected = connected;
  stored->connected_at = call.now;
  update_instance(call.tx, *stored);
  put_in_fleet(call, *stored);
  if (!connected) call.wake(std::string(kTaskSweepTopic));
}

shapes::agent::TaskManifestMessage manifest_of(Call& call, const Admitted& home) {
  shapes::agent::TaskManifestMessage manifest;
  manifest.messageId = base::random_uuid();
  manifest.clusterArn = home.cluster.arn();
  manifest.containerInstanceArn = instance_arn(home.cluster, home.instance.id);
  manifest.generatedAt = manifest.timeline = base::to_millis(call.now);
  for (const StoredTask& task : load_tasks_on(call.tx, home.instance.id)) {
    if (task.delivered || task.desired == model::DesiredStatus::Stopped) {
      manifest.tasks.push_back(identifier(home.cluster, task));
    }
  }
  return manifest;
}

std::vector<TaskIdentifier> to_stop(Call& call, const Admitted& home, const std::vector<TaskIdentifier>& candidates) {
  std::vector<TaskIdentifier> stop;
  for (const TaskIdentifier& candidate : candidates) {
    // One that is on its way there is not in the manifest, and is wanted all the same.
    const auto task = load_task(call.tx, home.cluster, candidate.taskArn);
    const bool wanted = task && task->instance == home.instance.id && !task->stopped_at &&
                        task->desired == model::DesiredStatus::Running;
    if (!wanted) stop.push_back({candidate.taskArn, candidate.taskClusterArn, "STOPPED"});
  }
  return stop;
}

Work work_for(Call& call, const Admitted& home, const std::set<std::string>& told) {
  Work work;
  check_still_admitted(call, home);
  TaskView view(call, home.cluster);
  for (StoredTask& task : load_tasks_to_tell(call.tx, home.instance.id)) {
    const bool stop = task.desired == model::DesiredStatus::Stopped;
    const bool known = told.contains(told_key(task));
    if (!known && work.tasks.size() == kMaxTasksAtOnce) {
      work.more = true;
      continue;
    }
    work.told.insert(told_key(task));
    if (known) continue;
    const StoredLaunch& launch = view.launch_of(task);
    const StoredTaskDefinition& definition = view.definition_of(task);
    shapes::agent::Task payload = to_payload(home.cluster, task, launch, definition);
    if (!stop) {
      const auto key = key_of(call, task);
      if (key) payload.roleCredentials = to_credentials(task, *key, role_of(definition, launch));
      const auto execution = execution_role_of(definition, launch);
      if (key && execution) payload.executionRoleCredentials = to_execution_credentials(task, *key, *execution);
    }
    work.tasks.push_back(std::move(payload));
  }
  return work;
}

void set_delivered(Call& call, const Admitted& home, const std::vector<std::string>& task_arns) {
  for (const std::string& arn : task_arns) {
    const auto task = load_task_state(call.tx, home.cluster, arn);
    if (!task || task->instance_number != home.instance.number) continue;
    call.tx.exec("UPDATE ecs_tasks SET delivered = 1 WHERE id = $1", task->name.number);
    call.wake(task_topic(task->id));
  }
}

std::vector<shapes::agent::IAMRoleCredentialsMessage> renewed_credentials(Call& call, const Admitted& home) {
  std::vector<shapes::agent::IAMRoleCredentialsMessage> messages;
  const auto ids = tasks_to_renew(call.tx, home.instance.number, call.now + kRenewBefore);
  TaskView view(call, home.cluster);
  for (const std::string& id : ids) {
    auto task = load_task(call.tx, id);
    const auto key = key_of(call, *task);
    if (!key) continue;
    const auto role = role_of(view.definition_of(*task), view.launch_of(*task));
    messages.push_back({base::random_uuid(), task_arn(home.cluster, id), home.cluster.arn(), "TaskApplication",
                        to_credentials(*task, *key, role)});
    const auto execution = execution_role_of(view.definition_of(*task), view.launch_of(*task));
    if (!execution) continue;
    messages.push_back({base::random_uuid(), task_arn(home.cluster, id), home.cluster.arn(), "TaskExecution",
                        to_execution_credentials(*task, *key, *execution)});
  }
  return messages;
}

void note_credentials(Call& call, const Admitted& home, const shapes::agent::IAMRoleCredentialsAckRequest& ack) {
  const auto found = call.tx
                         .query(
                             "SELECT id, credentials FROM ecs_tasks WHERE instance = $1 AND credentials_id = $2",
                             home.instance.number, ack.credentialsId.value_or(""))
                         .one([](const store::Row& row) { return std::pair(row.integer(0), row.str(1)); });
  const auto key = found ? state::find_key(call.tx, found->second) : std::nullopt;
  if (!key || !key->expires_at || wire::to_iso8601(*key->expires_at) != ack.expiration) return;
  call.tx.exec("UPDATE ecs_tasks SET credentials_until = $2 WHERE id = $1", found->first, *key->expires_at);
}

void note_gpus(Call& call, const std::string& instance, const shapes::agent::StokerGpus& gpus) {
  if (gpus.gpus.size() > kMaxGpus) throw wire::ApiError("BadRequestException", "A machine has 256 GPUs at most.");
  auto stored = load_instance(call.tx, instance);
  if (!stored || stored->status == model::InstanceStatus::Inactive) return;
  stored->gpus = gpus;
  update_instance(call.tx, *stored);
  put_in_fleet(call, *stored);
}

void note_health(Call& call, const Admitted& home, const shapes::agent::PublishHealthRequest& request) {
  for (const shapes::agent::TaskHealth& said : request.tasks) {
    auto task = load_task(call.tx, home.cluster, said.taskArn);
    if (!task || task->instance != home.instance.id || task->stopped_at) continue;
    if (!task->report) task->report.emplace();
    const auto before = task->report->health;
    for (const shapes::agent::ContainerHealth& container : said.containers) {
      task->report->health[container.containerName] = container.healthStatus;
    }
    if (task->report->health == before) continue;
    update_task(call.tx, *task);
    call.wake(task_topic(task->id));
  }
}

}  // namespace services::ecs
