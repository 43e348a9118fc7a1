// SPDX-License-Identifier: Apache-2.0
// The rows of the table of tasks.
#include <fmt/format.h>

#include <algorithm>

#include "cli/names.h"
#include "cli/rows.h"

namespace cli {
namespace {

using namespace shapes::ecs;
using shapes::stoker::StokerGpuState;

std::string memory_held(const StokerGpuState& gpu, const Task& task, const std::string& container) {
  for (const auto& holder : gpu.holders) {
    if (holder.taskArn != task.taskArn || holder.containerName != container || !holder.sharedMemoryInMiB) continue;
    return fmt::format(" ({:.1f}G)", static_cast<double>(*holder.sharedMemoryInMiB) / 1024);
  }
  return "";
}

// What the containers report counts more than "Essential container in task exited".
std::string cause_of(const Task& task) {
  for (const Container& container : task.containers.value_or(std::vector<Container>())) {
    if (container.reason && !container.reason->empty()) return *container.reason;
  }
  return task.stoppedReason.value_or("");
}

}  // namespace

// Indexes on the machine, as in nvidia-smi: "0,1", "3 (5.9G)"; "-" for none.
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

std::string task_status_text(const Task& task) {
  const std::string last = task.lastStatus.value_or("");
  return task.desiredStatus == "STOPPED" && last != "STOPPED" ? "STOPPING" : last;
}

std::string task_reason(const Task& task, base::Time now) {
  std::string text;
  if (task.stoppedAt) text = brief_duration(now - *task.stoppedAt) + " ago";
  for (const Container& container : task.containers.value_or(std::vector<Container>())) {
    if (container.exitCode) text += (text.empty() ? "exit " : ", exit ") + std::to_string(*container.exitCode);
  }
  const std::string cause = cause_of(task);
  return text + (text.empty() || cause.empty() ? "" : ": ") + cause;
}

std::string task_reason(const Task& task, const TaskContext& context) {
  const auto pull = context.pulls.find(task.taskArn.value_or(""));
  return pull == context.pulls.end() ? task_reason(task, context.now) : pull->second;
}

std::string task_time(const Task& task, base::Time now) {
  return task.startedAt ? brief_duration(task.stoppedAt.value_or(now) - *task.startedAt) : "-";
}

std::string task_machine(const Task& task, const TaskContext& context) {
  const auto machine = context.machines.find(task.containerInstanceArn.value_or(""));
  return machine == context.machines.end() ? "-" : machine->second;
}

std::vector<std::string> task_row(const Task& task, const TaskContext& context, bool with_reason) {
  const std::string by = task.startedBy ? " / " + *task.startedBy : "";
  return {short_id(*task.taskArn),
          family_and_revision(task.taskDefinitionArn.value_or("")),
          task_status_text(task),
          task_gpus_text(task, context),
          task_machine(task, context),
          task_time(task, context.now),
          with_reason ? task_reason(task, context) : task.group.value_or("") + by};
}

}  // namespace cli
