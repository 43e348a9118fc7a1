// SPDX-License-Identifier: Apache-2.0
// What a session with an agent reads and writes: who it is, what it should run, what it said.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "services/ecs/clusters/cluster.h"
#include "services/ecs/machines/instance.h"
#include "shapes/agent/telemetry.h"
#include "shapes/agent/work.h"

namespace services::ecs {

// The machine that a session is for. `cluster` and `instance` are ARNs or names.
struct Admitted {
  StoredCluster cluster;
  StoredInstance instance;
};
// Throws InvalidInstanceException, InactiveInstanceException or ClusterNotFoundException.
Admitted admit(Call& call, const std::string& cluster, const std::string& instance);

// Both sides agree on its tasks, or the session has ended. Nothing for one that was deregistered.
void set_connected(Call& call, const std::string& instance, bool connected);

// What the agent should know: tasks that it acknowledged, and those that are to stop.
shapes::agent::TaskManifestMessage manifest_of(Call& call, const Admitted& home);

// Of those that an agent has and its manifest had not, the ones that it must stop.
std::vector<shapes::agent::TaskIdentifier> to_stop(Call& call, const Admitted& home,
                                                   const std::vector<shapes::agent::TaskIdentifier>& candidates);

// Tasks that the agent has to be told of: new ones, and those that are to stop. `told` are the
// "<task>/<desired status>" that this session has sent. New ones get their credentials here, which
// end with the agent's own key. Throws InactiveInstanceException where the instance was
// deregistered, AccessDeniedException where the key that the session was opened with is no more.
struct Work {
  std::vector<shapes::agent::Task> tasks;
  std::set<std::string> told;  // with these tasks, and without those that are past
  bool more = false;
};
Work work_for(Call& call, const Admitted& home, const std::set<std::string>& told);

// The agent has these, and keeps them whatever happens to it.
void set_delivered(Call& call, const Admitted& home, const std::vector<std::string>& task_arns);

// Credentials that end soon, made anew; until the agent has said that it has them, the same again.
std::vector<shapes::agent::IAMRoleCredentialsMessage> renewed_credentials(Call& call, const Admitted& home);

// Nothing for what is not the key that the task has now.
void note_credentials(Call& call, const Admitted& home, const shapes::agent::IAMRoleCredentialsAckRequest& ack);

// More GPUs than a machine may have are refused: BadRequestException.
void note_gpus(Call& call, const std::string& instance, const shapes::agent::StokerGpus& gpus);
void note_health(Call& call, const Admitted& home, const shapes::agent::PublishHealthRequest& request);

}  // namespace services::ecs
