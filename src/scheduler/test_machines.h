// SPDX-License-Identifier: Apache-2.0
// Test support: machines and requests.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "scheduler/fleet.h"

namespace scheduler::test {

inline constexpr std::int64_t kGpuMemoryMib = 16384;

// "box-a" has GPUs "box-a/0", "box-a/1", ...
inline model::Instance box(const std::string& name, int gpus = 0) {
  model::Instance instance{.id = model::InstanceId(name), .ec2_instance_id = name, .agent_connected = true};
  instance.total = {.cpu = 8 * model::kCpuUnitsPerCore, .memory_mib = 32768};
  instance.total.reserved_ports.tcp = {22, 2375};
  for (int i = 0; i < gpus; ++i) {
    instance.total.gpus.push_back({model::GpuId(name + "/" + std::to_string(i)), "V100", kGpuMemoryMib});
  }
  return instance;
}

inline Request task(const std::string& id, std::int64_t cpu = 128, std::int64_t memory_mib = 256) {
  Request request{.task = model::TaskId(id), .group = "family:test"};
  request.demand.cpu = cpu;
  request.demand.memory_mib = memory_mib;
  return request;
}

inline model::GpuDemand whole(int count, const std::string& container = "main") {
  return {.kind = model::GpuDemand::Kind::Whole, .container = container, .count = count};
}

inline model::GpuDemand share(std::int64_t memory_mib, const std::string& container = "main") {
  return {.kind = model::GpuDemand::Kind::Shared, .container = container, .memory_mib = memory_mib};
}

inline model::GpuDemand all_gpus() { return {.kind = model::GpuDemand::Kind::All, .container = "main"}; }

inline Request gpu_task(const std::string& id, std::vector<model::GpuDemand> gpus) {
  Request request = task(id);
  request.demand.gpus = std::move(gpus);
  return request;
}

inline Request gpu_task(const std::string& id, int gpus) { return gpu_task(id, {whole(gpus)}); }

inline void member_of(Request& request, const std::string& expression) {
  auto parsed = Expression::parse(expression);
  CHECK(parsed) << parsed.error();
  request.member_of.push_back(*parsed);
}

inline const Plan* plan_of(const Decision& decision) { return std::get_if<Plan>(&decision); }

// Places, holds and commits a task. Returns the instance's name, or "" for a refusal.
inline std::string run(Fleet& fleet, const Request& request) {
  Decision decision = fleet.place(request);
  const Plan* plan = plan_of(decision);
  if (!plan) return "";
  CHECK(fleet.hold(*plan)) << "a new plan is already stale";
  fleet.commit(request.task);
  return plan->instance.str();
}

inline std::vector<std::string> gpus_of(const Fleet& fleet, const std::string& task) {
  std::vector<std::string> ids;
  const Machine* machine = fleet.machine_of(model::TaskId(task));
  if (!machine) return ids;
  for (const model::GpuHold& gpu : machine->find(model::TaskId(task))->gpus) ids.push_back(gpu.gpu.str());
  return ids;
}

inline std::vector<std::string> reasons_of(const Decision& decision) {
  std::vector<std::string> reasons;
  for (const Failure& failure : std::get<Refusal>(decision).failures) reasons.emplace_back(text(failure.reason));
  return reasons;
}

inline std::string detail_of(const Decision& decision) { return std::get<Refusal>(decision).failures.at(0).detail; }

}  // namespace scheduler::test
