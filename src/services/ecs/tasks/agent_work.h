// SPDX-License-Identifier: Apache-2.0
// What a session with an agent reads and writes: its machine, the tasks to run there, and its reports.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "services/ecs/clusters/cluster.h"
#include "services/ecs/machines/instance.h"
#include "shapes/agent/telemetry.h"
#include "shapes/agent/work.h"
#include "state/task.h"

namespace services::ecs {

// The machine that a session is for. `cluster` and `instance` are ARNs or names.
struct Admitted {
  state::Cluster cluster;
  StoredInstance instance;
};
// Throws InvalidInstanceException, InactiveInstanceException or ClusterNotFoundException.
Admitted admit(Call& call, const std::string& cluster, const std::string& instance);

// What an agent states of itself when it opens a session. Amazon's states it nowhere else.
struct AgentVersions {
  std::optional<std::string> agent, hash, docker;
};
// Whether the instance shows these already; absent ones are not compared.
bool states(const StoredInstance& instance, const AgentVersions& versions);
void store_versions(Call& call, StoredInstance& instance, const AgentVersions& versions);

// Connected: both sides agree on its tasks. Ignores an instance that was deregistered.
void set_connected(Call& call, const model::InstanceId& instance, bool connected);

// The tasks that the agent should have: those that it acknowledged, and those that are to stop. A write: manifests are
// numbered.
shapes::agent::TaskManifestMessage manifest_of(Call& call, const Admitted& home);

// Of tasks that the agent has and its manifest did not have, the ones that it must stop.
std::vector<shapes::agent::TaskIdentifier> to_stop(Call& call, const Admitted& home,
                                                   const std::vector<shapes::agent::TaskIdentifier>& candidates);

// Tasks that have to be sent to the agent: those that it may not have, and those that are to stop. `sent` are
// the "<task>/<desired status>" that this session has sent.
struct Unsent {
  std::vector<std::size_t> positions;  // in the list of tasks, at most as many as one payload holds
  std::set<std::string> sent;          // those of the given ones that are still in the list
  bool more = false;                   // than one payload holds
};
Unsent find_unsent(const std::vector<state::Task>& tasks, const std::set<std::string>& sent);

// On a snapshot. Throws InactiveInstanceException where the instance was deregistered,
// AccessDeniedException where the key that opened the session was deleted or has expired.
Unsent look_for_work(Call& call, const Admitted& home, const std::set<std::string>& sent);

// The payload of unsent tasks. New tasks get their credentials here, which end with the agent's own key.
// Throws as look_for_work does.
struct Work {
  std::vector<shapes::agent::Task> tasks;
  std::set<std::string> sent;  // with these tasks, and without those that are past
  bool more = false;
};
Work work_for(Call& call, const Admitted& home, const std::set<std::string>& sent);

// The agent acknowledged these, and keeps them across restarts.
void set_delivered(Call& call, const Admitted& home, const std::vector<std::string>& task_arns);

// On a snapshot: whether some credentials end soon.
bool credentials_end(Call& call, const Admitted& home);
// New credentials for those; the same again until the agent acknowledges them.
std::vector<shapes::agent::IAMRoleCredentialsMessage> renewed_credentials(Call& call, const Admitted& home);
// From now on those of all tasks that the agent has count as ending: it has lost them.
void mark_credentials_lost(Call& call, const Admitted& home);

// Ignores an acknowledgement of anything but the task's current key.
void acknowledge_credentials(Call& call, const Admitted& home, const shapes::agent::IAMRoleCredentialsAckRequest& ack);

// Throws BadRequestException for more GPUs than a machine can have.
void store_gpus(Call& call, const model::InstanceId& instance, shapes::agent::StokerGpus gpus);
// Why the machine accepts no tasks; without troubles it does again.
void store_troubles(Call& call, const model::InstanceId& instance, shapes::agent::StokerHealth health);
// The same from an agent of Amazon's, which reports the state of its engine and no reason.
void store_status(Call& call, const Admitted& home, const shapes::agent::PublishInstanceStatusRequest& request);
// Of the containers of its own tasks.
void store_health(Call& call, const Admitted& home, const shapes::agent::PublishHealthRequest& request);
// On a snapshot: drops what an agent states of tasks that are not on its machine. These three throw as look_for_work does.
void keep_own_tasks(Call& call, const Admitted& home, shapes::agent::PublishMetricsRequest& request);

}  // namespace services::ecs
