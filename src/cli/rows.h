// SPDX-License-Identifier: Apache-2.0
// The rows of the tables that ps, services, nodes and gpus print.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "shapes/ecs/container_instance.h"
#include "shapes/ecs/service.h"
#include "shapes/ecs/task.h"
#include "shapes/stoker/gpu.h"

namespace cli {

// Tasks as JSON, in the form of DescribeTasks.
struct TaskList {
  std::vector<shapes::ecs::Task> tasks;
};
BOOST_DESCRIBE_STRUCT(TaskList, (), (tasks))

// What a row needs in addition to the task.
struct TaskContext {
  std::map<std::string, std::string> machines;                 // names by ARN
  std::map<std::string, shapes::stoker::StokerGpuState> gpus;  // by id
  base::Time now;
  std::map<std::string, std::string> pulls = {};  // by the ARN of a task: "pulling the image: 3 of 7 layers"
};

// "STOPPING" while it should stop.
std::string task_status_text(const shapes::ecs::Task& task);
// "3 min ago, exit 137: OutOfMemoryError: Container killed due to memory usage"
std::string task_reason(const shapes::ecs::Task& task, base::Time now);
// The same, or what the task pulls.
std::string task_reason(const shapes::ecs::Task& task, const TaskContext& context);
// How long it runs or ran; "-" if it did not start.
std::string task_time(const shapes::ecs::Task& task, base::Time now);
std::string task_machine(const shapes::ecs::Task& task, const TaskContext& context);
std::string task_gpus_text(const shapes::ecs::Task& task, const TaskContext& context);
// `with_reason`: why the task stopped or what it pulls, in place of its group.
std::vector<std::string> task_row(const shapes::ecs::Task& task, const TaskContext& context, bool with_reason);
std::vector<std::string> service_row(const shapes::ecs::Service& service, base::Time now);
// "steady", "deploying 1 of 2", "failing: 3 in a row", "draining"
std::string service_state(const shapes::ecs::Service& service);
// Of a machine: "CPU", "MEMORY", or the number of "GPU"s; 0 where it has none.
std::int64_t resource_amount(const std::optional<std::vector<shapes::ecs::Resource>>& resources, std::string_view name);
std::vector<std::string> node_row(const shapes::ecs::ContainerInstance& instance, base::Time now);
std::vector<std::string> gpu_row(const shapes::stoker::StokerGpuState& gpu);

}  // namespace cli
