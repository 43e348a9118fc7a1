// SPDX-License-Identifier: Apache-2.0
// stoker ps
#include <algorithm>
#include <ostream>

#include "cli/cluster_client.h"
#include "cli/json.h"
#include "cli/names.h"
#include "cli/ps_selection.h"
#include "cli/pull_display.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "cli/watch.h"

namespace cli {
namespace {

using namespace shapes::ecs;
using shapes::stoker::StokerGpuState;

constexpr std::size_t kMaxPullCalls = 20;

constexpr char kJsonFormat[] = "json";  // an object a line, as with docker

// Tasks without a service come last.
std::pair<bool, std::string> service_order(const Task& task) {
  const std::string service = service_of(task.group.value_or(""));
  return {service.empty(), service};
}

Rows task_table(const std::vector<Task>& tasks, const TaskContext& context, const PsArguments& arguments) {
  Rows rows{{"TASK", "FAMILY:REV", "STATUS", "GPUS", "MACHINE", arguments.all ? "RAN" : "STARTED",
             arguments.all ? "REASON" : "GROUP / BY"}};
  for (const Task& task : tasks) rows.push_back(task_row(task, context, arguments.all));
  if (!arguments.by_service) return rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string service = i == 0 ? "SERVICE" : service_of(tasks[i - 1].group.value_or(""));
    if (!arguments.all) rows[i].pop_back();
    rows[i].insert(rows[i].begin(), service.empty() ? "-" : service);
  }
  return rows;
}

std::vector<Task> list_tasks(ClusterClient& client, const PsArguments& arguments) {
  std::vector<Task> tasks = client.running_tasks();
  if (arguments.all) {
    for (Task& task : client.stopped_tasks()) tasks.push_back(std::move(task));
  }
  std::ranges::stable_sort(tasks, {}, [](const Task& task) { return task.createdAt; });
  if (arguments.by_service) std::ranges::stable_sort(tasks, {}, service_order);
  return tasks;
}

void add_pulls(ClusterClient& client, const std::vector<Task>& tasks, TaskContext& context) {
  std::size_t calls = 0;
  for (const Task& task : tasks) {
    if (task.lastStatus != "PENDING" || ++calls > kMaxPullCalls) continue;
    const auto pulls = pulls_of(client, id_of(*task.taskArn));
    if (pulls && !pulls->empty()) context.pulls[*task.taskArn] = pull_line(pulls->front(), kUnlimitedColumns);
  }
}

void print_tasks(ClusterClient& client, const Options& options, const PsArguments& arguments, const Screen& screen) {
  std::ostream& out = screen.out;
  const TaskFilters filters = parse_filters(arguments.filters);
  TaskList printed{list_tasks(client, arguments)};
  TaskContext context{{}, {}, base::SystemClock().now()};
  const bool plain = options.json || arguments.quiet || arguments.format == kJsonFormat;
  if (!printed.tasks.empty() && (!plain || filters.needs_machines())) context.machines = machine_names(client.instances());
  std::erase_if(printed.tasks, [&](const Task& task) { return !filters.match(task, context); });
  if (options.json) return print_json(out, printed);
  if (arguments.quiet) {
    for (const Task& task : printed.tasks) out << id_of(*task.taskArn) << '\n';
    return;
  }
  if (arguments.format == kJsonFormat) {
    for (const Task& task : printed.tasks) print_json(out, task);
    return;
  }
  if (!printed.tasks.empty()) {
    for (StokerGpuState& gpu : client.gpus()) context.gpus[gpu.gpuId] = std::move(gpu);
  }
  if (arguments.all || arguments.format.find("Reason") != arguments.format.npos) add_pulls(client, printed.tasks, context);
  if (!arguments.format.empty()) {
    for (const Task& task : printed.tasks) out << format_task(arguments.format, task, context) << '\n';
  } else if (printed.tasks.empty()) {
    out << "no tasks in cluster " << client.cluster() << (filters.empty() ? "" : " match the filters")
        << (arguments.all ? "" : "; --all shows those that stopped within the last hour") << '\n';
  } else {
    print_table(out, task_table(printed.tasks, context, arguments), screen.terminal);
  }
}

}  // namespace

int ps(const Options& options, const PsArguments& arguments, std::ostream& out) {
  if (!arguments.format.empty()) check_format(arguments.format);
  parse_filters(arguments.filters);
  ClusterClient client(options);
  return show(out, arguments.watch, [&](const Screen& screen) { print_tasks(client, options, arguments, screen); });
}

}  // namespace cli
