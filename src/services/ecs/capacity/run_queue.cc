// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/capacity/run_queue.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/duration.h"
#include "services/call.h"
#include "shapes/stoker/names.h"

namespace services::ecs {

bool waits_in_queue(const StoredLaunch& launch) {
  return std::ranges::any_of(launch.body.tags, [](const shapes::ecs::Tag& tag) {
    return tag.key == shapes::stoker::kWaitTag && tag.value == "true";
  });
}

bool is_queued(const state::Task& task) { return !task.provider || task.provider->empty(); }

std::int64_t queue_room(Call& call, state::ClusterNumber cluster) {
  const std::int64_t queued = std::ranges::count_if(state::list_waiting(call.tx, cluster), &is_queued);
  return std::max<std::int64_t>(kMaxQueued - queued, 0);
}

bool has_queue(Call& call, state::ClusterNumber cluster) {
  return std::ranges::any_of(state::list_waiting(call.tx, cluster), &is_queued);
}

void explain_queue(Call& call, const state::Cluster& cluster, const state::Task& task,
                   shapes::stoker::StokerExplainResponse& response) {
  std::vector<state::Task> queue = state::list_waiting(call.tx, cluster.number);
  std::erase_if(queue, [](const state::Task& one) { return !is_queued(one); });
  const auto found = std::ranges::find(queue, task.id, &state::Task::id);
  response.sentences.push_back(fmt::format("It has been PROVISIONING for {}: it waits for room at position {} of {} in the "
                                           "queue of the cluster.",
                                           base::duration_text(call.now - task.created_at), found - queue.begin() + 1,
                                           queue.size()));
  if (found != queue.begin()) {
    response.sentences.push_back(fmt::format("Task {} is first in the queue: later ones do not overtake it.",
                                             queue.front().id.str()));
  }
}

}  // namespace services::ecs
