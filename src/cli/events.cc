// SPDX-License-Identifier: Apache-2.0
// stoker events
#include <ostream>

#include "cli/changes.h"
#include "cli/cluster_client.h"
#include "cli/json.h"
#include "cli/polling.h"
#include "wire/timestamp.h"

namespace cli {
namespace {

constexpr auto kLookInterval = std::chrono::milliseconds(500);

struct PrintedChange {
  base::Time at;
  std::string kind, arn, status, text;
};
BOOST_DESCRIBE_STRUCT(PrintedChange, (), (at, kind, arn, status, text))

ClusterState look_at(ClusterClient& client) {
  ClusterState state;
  for (auto& machine : client.instances()) {
    const std::string arn = *machine.containerInstanceArn;
    state.machines.emplace(arn, std::move(machine));
  }
  std::vector<shapes::ecs::ContainerInstance> machines;
  for (const auto& [arn, machine] : state.machines) machines.push_back(machine);
  state.machine_names = machine_names(machines);
  for (auto tasks : {client.running_tasks(), client.stopped_tasks()}) {
    for (auto& task : tasks) {
      const std::string arn = *task.taskArn;
      state.tasks.insert_or_assign(arn, std::move(task));
    }
  }
  return state;
}

void print_cluster_event(const Options& options, const ClusterChange& change, base::Time now, std::ostream& out) {
  if (options.json) {
    print_json(out, PrintedChange{now, change.kind, change.arn, change.status, change.text});
  } else {
    out << wire::to_iso8601(now) << ' ' << change.text << '\n';
  }
  out.flush();
}

}  // namespace

int events(const Options& options, std::ostream& out) {
  ClusterClient client(options);
  for (ClusterState before = look_at(client); out.good();) {
    wait_before_next_look(kLookInterval);
    ClusterState after;
    try {
      after = look_at(client);
    } catch (const std::runtime_error&) {
      continue;  // the server is unavailable: changes are found when it is back
    }
    const base::Time now = base::SystemClock().now();
    for (const ClusterChange& change : changes_between(before, after, now)) print_cluster_event(options, change, now, out);
    before = std::move(after);
  }
  return 0;
}

}  // namespace cli
