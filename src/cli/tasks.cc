// SPDX-License-Identifier: Apache-2.0
// stoker stop, stoker wait
#include <ostream>
#include <stdexcept>

#include "cli/cluster_client.h"
#include "cli/json.h"
#include "cli/names.h"
#include "cli/polling.h"
#include "cli/rows.h"

namespace cli {
namespace {

using namespace shapes::ecs;

constexpr auto kWaitInterval = std::chrono::milliseconds(500);

// The highest exit code of its containers; 125 if none started, as `stoker run`.
int exit_code_of(const Task& task) {
  constexpr int kDidNotStart = 125;
  std::optional<int> code;
  for (const Container& container : task.containers.value_or(std::vector<Container>())) {
    if (container.exitCode) code = std::max(code.value_or(0), *container.exitCode);
  }
  return code.value_or(kDidNotStart);
}

// A task that is named by its service comes again.
std::string task_to_stop(ClusterClient& client, const std::string& text) {
  std::string id = client.find_task_or_name(text);
  if (id.starts_with(text) || text.starts_with("arn:")) return id;
  const std::string service = service_of(client.describe_task(id).group.value_or(""));
  if (service.empty()) return id;
  throw std::runtime_error("the service " + service + " replaces tasks that are stopped: use `stoker service scale " + service +
                           " 0`, or the id of a task");
}

}  // namespace

int wait(const Options& options, const std::vector<std::string>& tasks, std::ostream& out) {
  ClusterClient client(options);
  std::vector<std::string> ids;
  for (const std::string& text : tasks) ids.push_back(client.find_task_or_name(text));
  TaskList printed;
  for (const std::string& id : ids) {
    Task task = client.describe_task(id);
    while (task.lastStatus != "STOPPED") {
      wait_before_next_look(kWaitInterval);
      task = client.describe_task(id);
    }
    if (!options.json) out << exit_code_of(task) << std::endl;
    printed.tasks.push_back(std::move(task));
  }
  if (options.json) print_json(out, printed);
  return 0;
}

int stop(const Options& options, const std::vector<std::string>& tasks, const std::string& reason, std::ostream& out) {
  ClusterClient client(options);
  std::vector<std::string> ids;
  for (const std::string& text : tasks) ids.push_back(task_to_stop(client, text));  // find all before stopping any
  TaskList printed;
  for (const std::string& id : ids) {
    StopTaskRequest request{.cluster = client.cluster(), .task = id};
    if (!reason.empty()) request.reason = reason;
    Task task = *client.call<StopTaskResponse>("StopTask", request).task;
    if (!options.json) {
      out << short_id(id) << (task.lastStatus == "STOPPED" ? " has stopped" : " is stopping") << '\n';
    }
    printed.tasks.push_back(std::move(task));
  }
  if (options.json) print_json(out, printed);
  return 0;
}

}  // namespace cli
