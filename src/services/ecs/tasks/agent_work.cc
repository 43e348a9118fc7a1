// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/agent_work.h"

#include <algorithm>

#include "base/random.h"
#include "base/utf8.h"
#include "services/ecs/account_settings.h"
#include "services/ecs/arn.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/machines/machine_access.h"
#include "services/ecs/reconciliation/service_tasks.h"
#include "services/ecs/state_events.h"
#include "services/ecs/tasks/payload.h"
#include "services/ecs/tasks/report.h"
#include "services/ecs/tasks/task_view.h"
#include "services/shape_json.h"
#include "state/keys.h"
#include "wire/error.h"
#include "wire/timestamp.h"

namespace services::ecs {
namespace {

using shapes::agent::Credentials;
using shapes::agent::StokerHealth;
using shapes::agent::StokerTrouble;
using shapes::agent::TaskIdentifier;

// Of a task's credentials. Six hours is Amazon's, too.
constexpr base::Duration kCredentialsFor = std::chrono::hours(6);
constexpr base::Duration kRenewBefore = std::chrono::hours(1);
// In one payload: a frame has a limit.
constexpr std::size_t kMaxTasksAtOnce = 20;

constexpr std::string_view kExecutionSuffix = "-execution";  // of the id of an execution role's credentials
constexpr std::size_t kMaxVersionBytes = 200;
constexpr std::size_t kMaxTroubles = 8;
constexpr std::size_t kMaxTroubleBytes = 1000;
constexpr std::size_t kMaxGpuText = 255;
constexpr std::string_view kEngineTrouble = "engine";
// In telemetry; DescribeContainerInstances shows it as CONTAINER_RUNTIME.
constexpr std::string_view kRuntimeStatus = "ContainerRuntime";

wire::ApiError inactive() {
  return wire::ApiError("InactiveInstanceException", "The container instance was deregistered.");
}

// The length of what an agent states of itself is limited: it is stored, and shown to everybody.
void cut(std::string& text, std::size_t most) { text = base::to_printable(text.substr(0, most)); }

TaskIdentifier identifier(const state::Cluster& cluster, const state::Task& task) {
  return {task_arn(cluster, task.id), cluster_arn(cluster), std::string(model::text(task.desired))};
}

Credentials to_credentials(const state::Task& task, const state::Key& key, const std::optional<std::string>& role) {
  Credentials out;
  out.credentialsId = task.credentials_id.value_or("");
  out.roleArn = role;
  out.accessKeyId = key.id;
  out.secretAccessKey = key.secret;
  out.sessionToken = key.session_token.value_or("");
  out.expiration = wire::to_iso8601(*key.expires_at);
  return out;
}

// A new key for the task, which ends with the key of its agent. None where the agent's key is temporary:
// those have no children. The id by which containers request it is in their environment, so it stays.
std::optional<state::Key> make_key(Call& call, state::Task& task) {
  const auto parent = state::find_key(call.tx, call.caller.access_key);
  if (!parent || parent->session_token) return std::nullopt;
  state::Key key = state::new_session_key(*parent, call.now, call.now + kCredentialsFor);
  key.scope = state::KeyScope::Task;
  if (!state::insert_key(call.tx, key)) return std::nullopt;
  if (!task.credentials_id) task.credentials_id = base::random_uuid();
  task.credentials = key.id;
  state::set_credentials(call.tx, task, *key.expires_at);
  return key;
}

// The same key under an id of its own, because agents store credentials by id and kind.
Credentials to_execution_credentials(const state::Task& task, const state::Key& key, const std::string& role) {
  Credentials out = to_credentials(task, key, role);
  out.credentialsId += kExecutionSuffix;
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

// Its current key while that lasts, else a new one.
std::optional<state::Key> key_of(Call& call, state::Task& task) {
  if (task.credentials) {
    auto key = state::find_key(call.tx, *task.credentials);
    if (key && key->expires_at && *key->expires_at > call.now + kRenewBefore) return key;
  }
  return make_key(call, task);
}

// Those of its role, and those of its execution role where it has one.
void add_credentials(Call& call, const Admitted& home, TaskView& view, state::Task& task,
                     std::vector<shapes::agent::IAMRoleCredentialsMessage>& messages) {
  const auto role = role_of(view.definition_of(task), view.launch_of(task));
  const auto execution = execution_role_of(view.definition_of(task), view.launch_of(task));
  const auto key = role || execution ? key_of(call, task) : std::nullopt;
  if (!key) return;
  auto add = [&](std::string kind, Credentials credentials) {
    messages.push_back({base::random_uuid(), task_arn(home.cluster, task.id), cluster_arn(home.cluster), std::move(kind),
                        std::move(credentials)});
  };
  if (role) add("TaskApplication", to_credentials(task, *key, *role));
  if (execution) add("TaskExecution", to_execution_credentials(task, *key, *execution));
}

std::string sent_key(const state::Task& task) { return task.id.str() + "/" + std::string(model::text(task.desired)); }

// Of a task that an agent names by its ARN.
std::string id_in(const std::string& arn) { return arn.substr(arn.rfind('/') + 1); }

// The last status of each container, by the task's id. However often a message repeats itself, a task is written once.
std::map<std::string, std::map<std::string, std::string>> health_by_task(
    const shapes::agent::PublishHealthRequest& request) {
  std::map<std::string, std::map<std::string, std::string>> by_task;
  for (const shapes::agent::TaskHealth& task : request.tasks) {
    for (const shapes::agent::ContainerHealth& container : task.containers) {
      by_task[id_in(task.taskArn)][container.containerName] = container.healthStatus;
    }
  }
  return by_task;
}

bool is_health(const std::string& status) {
  return status == "HEALTHY" || status == "UNHEALTHY" || status == "UNKNOWN";
}

void check_still_admitted(Call& call, const Admitted& home) {
  // A machine that was removed has lost its key, too. Its agent reacts to the removal.
  const auto instance = load_instance(call.tx, home.instance.id);
  if (!instance || instance->status == model::InstanceStatus::Inactive) throw inactive();
  const auto key = state::find_key(call.tx, call.caller.access_key);
  if (!key || (key->expires_at && *key->expires_at <= call.now)) {
    throw wire::ApiError("AccessDeniedException", "The access key of this session does not exist any more.");
  }
}

}  // namespace

Admitted admit(Call& call, const std::string& cluster, const std::string& instance) {
  Admitted home{find_cluster(call, cluster), {}};
  auto found = load_instance(call.tx, home.cluster, instance);
  if (!found) throw wire::ApiError("InvalidInstanceException", "The container instance is not registered.");
  if (found->status == model::InstanceStatus::Inactive) {
    throw inactive();
  }
  check_own_machine(call.caller, *found);
  home.instance = std::move(*found);
  return home;
}

bool states(const StoredInstance& instance, const AgentVersions& versions) {
  const auto shown = instance.body.versionInfo.value_or(shapes::ecs::VersionInfo());
  auto same = [](const auto& stated, const auto& known) { return !stated || stated->empty() || stated == known; };
  return same(versions.agent, shown.agentVersion) && same(versions.hash, shown.agentHash) &&
         same(versions.docker, shown.dockerVersion);
}

void store_versions(Call& call, StoredInstance& instance, const AgentVersions& versions) {
  auto stored = load_instance(call.tx, instance.id);
  if (!stored || stored->status == model::InstanceStatus::Inactive) return;
  auto& shown = stored->body.versionInfo;
  if (!shown) shown.emplace();
  auto take = [](const std::optional<std::string>& stated, std::optional<std::string>& known) {
    if (!stated || stated->empty()) return;
    known = *stated;
    cut(*known, kMaxVersionBytes);
  };
  take(versions.agent, shown->agentVersion);
  take(versions.hash, shown->agentHash);
  take(versions.docker, shown->dockerVersion);
  update_instance(call.tx, *stored);
  put_in_fleet(call, *stored);
  instance = std::move(*stored);
}

void set_connected(Call& call, const model::InstanceId& instance, bool connected) {
  auto stored = load_instance(call.tx, instance);
  if (!stored || stored->status == model::InstanceStatus::Inactive || stored->connected == connected) return;
  stored->connected = connected;
  stored->connected_at = call.now;
  update_instance(call.tx, *stored);
  put_in_fleet(call, *stored);
  if (!connected) call.wake(std::string(state::kTaskSweepTopic));
  publish_instance_change(call, instance);
}

shapes::agent::TaskManifestMessage manifest_of(Call& call, const Admitted& home) {
  shapes::agent::TaskManifestMessage manifest;
  manifest.messageId = base::random_uuid();
  manifest.clusterArn = cluster_arn(home.cluster);
  manifest.containerInstanceArn = instance_arn(home.cluster, home.instance.id);
  manifest.generatedAt = manifest.timeline = state::next_manifest(call.tx, home.instance.id, call.now);
  for (const state::Task& task : state::list_tasks_on(call.tx, home.instance.id)) {
    if (task.delivered || task.desired == model::DesiredStatus::Stopped) {
      manifest.tasks.push_back(identifier(home.cluster, task));
    }
  }
  return manifest;
}

std::vector<TaskIdentifier> to_stop(Call& call, const Admitted& home, const std::vector<TaskIdentifier>& candidates) {
  // An undelivered task is not in the manifest, but must run.
  std::set<std::string> wanted;
  for (const state::Task& task : state::list_tasks_on(call.tx, home.instance.id)) {
    if (task.desired == model::DesiredStatus::Running) wanted.insert(task.id.str());
  }
  std::vector<TaskIdentifier> stop;
  for (const TaskIdentifier& candidate : candidates) {
    if (!wanted.contains(id_in(candidate.taskArn))) stop.push_back({candidate.taskArn, candidate.taskClusterArn, "STOPPED"});
  }
  return stop;
}

Unsent find_unsent(const std::vector<state::Task>& tasks, const std::set<std::string>& sent) {
  Unsent unsent;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    std::string key = sent_key(tasks[i]);
    if (sent.contains(key)) {
      unsent.sent.insert(std::move(key));
    } else if (unsent.positions.size() < kMaxTasksAtOnce) {
      unsent.positions.push_back(i);
    } else {
      unsent.more = true;
    }
  }
  return unsent;
}

Unsent look_for_work(Call& call, const Admitted& home, const std::set<std::string>& sent) {
  check_still_admitted(call, home);
  return find_unsent(state::list_undelivered(call.tx, home.instance.id), sent);
}

Work work_for(Call& call, const Admitted& home, const std::set<std::string>& sent) {
  check_still_admitted(call, home);
  std::vector<state::Task> tasks = state::list_undelivered(call.tx, home.instance.id);
  Unsent unsent = find_unsent(tasks, sent);
  Work work{.tasks = {}, .sent = std::move(unsent.sent), .more = unsent.more};
  TaskView view(call, home.cluster);
  PayloadDefaults defaults;
  if (!unsent.positions.empty()) defaults.log_mode = account_setting(call, "defaultLogDriverMode");
  if (!home.instance.has_our_agent()) defaults.endpoint = call.caller.endpoint;
  for (std::size_t position : unsent.positions) {
    state::Task& task = tasks[position];
    const StoredLaunch& launch = view.launch_of(task);
    const StoredTaskDefinition& definition = view.definition_of(task);
    const auto role = role_of(definition, launch), execution = execution_role_of(definition, launch);
    defaults.execution_role = execution.has_value();
    shapes::agent::Task payload = to_payload(home.cluster, task, launch, definition, defaults);
    if (task.desired == model::DesiredStatus::Running) {
      // As at Amazon, a task without a role has no credentials.
      const auto key = role || execution ? key_of(call, task) : std::nullopt;
      if (key && role) payload.roleCredentials = to_credentials(task, *key, *role);
      if (key && execution) payload.executionRoleCredentials = to_execution_credentials(task, *key, *execution);
    }
    work.sent.insert(sent_key(task));
    work.tasks.push_back(std::move(payload));
  }
  return work;
}

void set_delivered(Call& call, const Admitted& home, const std::vector<std::string>& task_arns) {
  for (const std::string& arn : task_arns) {
    const auto task = load_task_state(call.tx, home.cluster, arn);
    if (!task || task->machine_number != home.instance.number) continue;
    state::set_delivered(call.tx, task->name);
    call.wake(state::task_topic(task->id));
  }
}

bool credentials_end(Call& call, const Admitted& home) {
  return !state::list_ending_credentials(call.tx, home.instance.number, call.now + kRenewBefore).empty();
}

std::vector<shapes::agent::IAMRoleCredentialsMessage> renewed_credentials(Call& call, const Admitted& home) {
  std::vector<shapes::agent::IAMRoleCredentialsMessage> messages;
  const auto ids = state::list_ending_credentials(call.tx, home.instance.number, call.now + kRenewBefore);
  TaskView view(call, home.cluster);
  for (const model::TaskId& id : ids) {
    auto task = state::find_task(call.tx, id);
    add_credentials(call, home, view, *task, messages);
  }
  return messages;
}

void mark_credentials_lost(Call& call, const Admitted& home) {
  state::mark_credentials_lost(call.tx, home.instance.number);
}

// A task with an execution role alone has no other acknowledgement. With both, they were sent together.
void acknowledge_credentials(Call& call, const Admitted& home, const shapes::agent::IAMRoleCredentialsAckRequest& ack) {
  std::string id = ack.credentialsId.value_or("");
  if (id.ends_with(kExecutionSuffix)) id.resize(id.size() - kExecutionSuffix.size());
  const auto found = state::find_credentials(call.tx, home.instance.number, id);
  const auto key = found ? state::find_key(call.tx, found->key) : std::nullopt;
  if (!key || !key->expires_at || wire::to_iso8601(*key->expires_at) != ack.expiration) return;
  state::acknowledge_credentials(call.tx, found->task_number, *key->expires_at);
}

void store_gpus(Call& call, const model::InstanceId& instance, shapes::agent::StokerGpus gpus) {
  if (gpus.gpus.size() > kMaxGpus) throw wire::ApiError("BadRequestException", "A machine can have at most 256 GPUs.");
  for (shapes::agent::StokerGpu& gpu : gpus.gpus) {
    cut(gpu.id, kMaxGpuText);
    cut(gpu.model, kMaxGpuText);
    if (gpu.trouble) cut(*gpu.trouble, kMaxTroubleBytes);
  }
  auto stored = load_instance(call.tx, instance);
  if (!stored || stored->status == model::InstanceStatus::Inactive) return;
  if (to_json(stored->gpus) == to_json(gpus)) return;
  stored->gpus = std::move(gpus);
  update_instance(call.tx, *stored);
  put_in_fleet(call, *stored);
}

void store_troubles(Call& call, const model::InstanceId& instance, StokerHealth health) {
  if (health.troubles.size() > kMaxTroubles) health.troubles.resize(kMaxTroubles);
  for (StokerTrouble& trouble : health.troubles) {
    cut(trouble.kind, kMaxTroubleBytes);
    cut(trouble.reason, kMaxTroubleBytes);
  }
  auto stored = load_instance(call.tx, instance);
  if (!stored || stored->status == model::InstanceStatus::Inactive) return;
  if (to_json(stored->health) == to_json(health)) return;
  stored->health = std::move(health);
  update_instance(call.tx, *stored);
  put_in_fleet(call, *stored);
  publish_instance_change(call, instance);
}

void store_status(Call& call, const Admitted& home, const shapes::agent::PublishInstanceStatusRequest& request) {
  check_still_admitted(call, home);
  const auto stored = load_instance(call.tx, home.instance.id);
  if (!stored) return;
  StokerHealth health = stored->health;
  for (const shapes::agent::InstanceStatus& status : request.statuses) {
    if (status.type != kRuntimeStatus) continue;
    const bool known = std::ranges::count(health.troubles, kEngineTrouble, &StokerTrouble::kind) > 0;
    if (status.status == "IMPAIRED" && !known) {
      health.troubles.push_back(
          {std::string(kEngineTrouble), "its agent reports CONTAINER_RUNTIME IMPAIRED", base::to_millis(call.now)});
    } else if (status.status == "OK") {
      std::erase_if(health.troubles, [](const StokerTrouble& trouble) { return trouble.kind == kEngineTrouble; });
    }
  }
  store_troubles(call, home.instance.id, std::move(health));
}

void store_health(Call& call, const Admitted& home, const shapes::agent::PublishHealthRequest& request) {
  check_still_admitted(call, home);
  const auto by_task = health_by_task(request);
  if (by_task.empty()) return;
  TaskView view(call, home.cluster);
  for (state::Task& task : state::list_tasks_on(call.tx, home.instance.id)) {
    const auto found = by_task.find(task.id.str());
    if (found == by_task.end()) continue;
    Report report = report_of(task);
    const auto before = report.health;
    for (const auto& [container, status] : found->second) {
      if (is_health(status) && view.has_container(task, container)) report.health[container] = status;
    }
    if (report.health == before) continue;
    set_report(task, report);
    state::update_task(call.tx, task);
    mark_service_of(call, task);
    call.wake(state::task_topic(task.id));
  }
}

void keep_own_tasks(Call& call, const Admitted& home, shapes::agent::PublishMetricsRequest& request) {
  check_still_admitted(call, home);
  if (request.taskMetrics.empty()) return;
  std::set<std::string> own;
  for (const model::TaskHold& hold : state::list_holds(call.tx, home.instance.id)) own.insert(hold.task.str());
  std::erase_if(request.taskMetrics, [&](const shapes::agent::TaskMetric& metric) {
    return !own.contains(id_in(metric.taskArn));
  });
}

}  // namespace services::ecs
