// SPDX-License-Identifier: Apache-2.0
// stoker ps, stoker stop
#include <algorithm>
#include <ostream>

#include "base/duration.h"
#include "cli/cluster_client.h"
#include "cli/json.h"
#include "cli/names.h"
#include "cli/rows.h"
#include "cli/table.h"

namespace cli {
namespace {

using namespace shapes::ecs;
using shapes::stoker::StokerGpuState;

struct PrintedTasks {
  std::vector<Task> tasks;
};
BOOST_DESCRIBE_STRUCT(PrintedTasks, (), (tasks))

std::string task_status_text(const Task& task) {
  const std::string last = task.lastStatus.value_or("");
  return task.desiredStatus == "STOPPED" && last != "STOPPED" ? "STOPPING" : last;
}

std::string memory_held(const StokerGpuState& gpu, const Task& task, const std::string& container) {
  for (const auto& holder : gpu.holders) {
    if (holder.taskArn != task.taskArn || holder.containerName != container || !holder.sharedMemoryInMiB) continue;
    return " (" + std::to_string(*holder.sharedMemoryInMiB) + " MiB)";
  }
  return "";
}

// Indexes on the machine, as in nvidia-smi: "0,1", "3 (6000 MiB)"; "-" for none.
std::string task_gpus_text(const Task& task, const TaskContext& context) {
  std::string text;
  for (const Container& container : task.containers.value_or(std::vector<Container>())) {
    for (const std::string& id : container.gpuIds.value_or(std::vector<std::string>())) {
      auto found = context.gpus.find(id);
      text += text.empty() ? "" : ",";
      if (found == context.gpus.end()) {
        text += short_gpu(id);
      } else {
        text += std::to_string(found->second.index) + memory_held(found->second, task, container.name.value_or(""));
      }
    }
  }
  return text.empty() ? "-" : text;
}

// "3 min ago, exit 1: Essential container in task exited"
std::string reason_of(const Task& task, base::Time now) {
  if (!task.stoppedAt) return task.stoppedReason.value_or("");
  std::string text = brief_duration(now - *task.stoppedAt) + " ago";
  for (const Container& container : task.containers.value_or(std::vector<Container>())) {
    if (container.exitCode) text += ", exit " + std::to_string(*container.exitCode);
  }
  return text + ": " + task.stoppedReason.value_or("");
}

// Tasks without a service come last.
std::pair<bool, std::string> service_order(const Task& task) {
  const std::string service = service_of(task.group.value_or(""));
  return {service.empty(), service};
}

std::vector<std::vector<std::string>> task_rows(const std::vector<Task>& tasks, const TaskContext& context,
                                                const PsArguments& arguments) {
  constexpr std::size_t kGroupColumn = 6;
  std::vector<std::vector<std::string>> rows{
      {"TASK", "FAMILY:REV", "STATUS", "GPUS", "MACHINE", "STARTED", "GROUP / STARTED BY"}};
  if (arguments.all) rows[0].push_back("REASON");
  for (const Task& task : tasks) rows.push_back(task_row(task, context, arguments.all));
  if (!arguments.by_service) return rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].erase(rows[i].begin() + kGroupColumn);
    const std::string service = i == 0 ? "SERVICE" : service_of(tasks[i - 1].group.value_or(""));
    rows[i].insert(rows[i].begin(), service.empty() ? "-" : service);
  }
  return rows;
}

}  // namespace

std::vector<std::string> task_row(const Task& task, const TaskContext& context, bool with_reason) {
  const auto machine = context.machines.find(task.containerInstanceArn.value_or(""));
  const std::string by = task.startedBy ? " / " + *task.startedBy : "";
  std::vector<std::string> row{short_id(*task.taskArn),
                               family_and_revision(task.taskDefinitionArn.value_or("")),
                               task_status_text(task),
                               task_gpus_text(task, context),
                               machine == context.machines.end() ? "-" : machine->second,
                               task.startedAt ? brief_duration(context.now - *task.startedAt) : "-",
                               task.group.value_or("") + by};
  if (with_reason) row.push_back(reason_of(task, context.now));
  return row;
}

int ps(const Options& options, const PsArguments& arguments, std::ostream& out) {
  ClusterClient client(options);
  PrintedTasks printed{client.running_tasks()};
  if (arguments.all) {
    for (Task& task : client.stopped_tasks()) printed.tasks.push_back(std::move(task));
  }
  std::ranges::stable_sort(printed.tasks, {}, [](const Task& task) { return task.createdAt; });
  if (arguments.by_service) std::ranges::stable_sort(printed.tasks, {}, service_order);
  if (options.json) {
    print_json(out, printed);
    return 0;
  }
  if (printed.tasks.empty()) {
    out << "no tasks in cluster " << client.cluster()
        << (arguments.all ? "" : "; --all shows those that stopped within the last hour") << '\n';
    return 0;
  }
  TaskContext context{machine_names(client.instances()), {}, base::SystemClock().now()};
  for (StokerGpuState& gpu : client.gpus()) context.gpus[gpu.gpuId] = std::move(gpu);
  print_table(out, task_rows(printed.tasks, context, arguments));
  return 0;
}

int stop(const Options& options, const std::vector<std::string>& tasks, const std::string& reason, std::ostream& out) {
  ClusterClient client(options);
  std::vector<std::string> ids;
  for (const std::string& text : tasks) ids.push_back(client.find_task(text));  // find all before stopping any
  PrintedTasks printed;
  for (const std::string& id : ids) {
    StopTaskRequest request{.cluster = client.cluster(), .task = id};
    if (!reason.empty()) request.reason = reason;
    Task task = *client.call<StopTaskResponse>("StopTask", request).task;
    if (!options.json) {
      out << short_id(id) << (task.lastStatus == "STOPPED" ? " has already stopped" : " is stopping") << '\n';
    }
    printed.tasks.push_back(std::move(task));
  }
  if (options.json) print_json(out, printed);
  return 0;
}

}  // namespace cli
