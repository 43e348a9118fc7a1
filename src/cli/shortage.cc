// SPDX-License-Identifier: Apache-2.0
#include "cli/shortage.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "cli/names.h"
#include "cli/rows.h"

namespace cli {
namespace {

using namespace shapes::ecs;
using shapes::stoker::StokerGpuState;

constexpr std::size_t kMostHolders = 4;

std::int64_t number_in(const std::string& text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void add_gpu_needs(const ContainerDefinition& container, TaskNeeds& needs) {
  for (const ResourceRequirement& one : container.resourceRequirements.value_or(std::vector<ResourceRequirement>())) {
    if (one.type != "GPU" || one.sharingStrategy) continue;
    if (one.value == "ALL") needs.all_gpus = true;
    needs.gpus += number_in(one.value.value_or(""));
  }
}

// " (held by 3fa94c1b2d77, 77bc...)"
std::string holders_text(const std::vector<StokerGpuState>& gpus) {
  std::vector<std::string> holders;
  for (const StokerGpuState& gpu : gpus) {
    for (const auto& holder : gpu.holders) {
      const std::string id = short_id(holder.taskArn);
      if (std::ranges::find(holders, id) == holders.end()) holders.push_back(id);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(holders.size(), kMostHolders); ++i) text += (i ? ", " : "") + holders[i];
  if (holders.size() > kMostHolders) text += ", ...";
  return text.empty() ? "" : " (held by " + text + ")";
}

double share(std::int64_t missing, std::int64_t total) {
  return total > 0 ? static_cast<double>(missing) / static_cast<double>(total) : 1;
}

}  // namespace

TaskNeeds needs_of(const TaskDefinition& definition) {
  TaskNeeds needs;
  for (const ContainerDefinition& container : definition.containerDefinitions.value_or(std::vector<ContainerDefinition>())) {
    add_gpu_needs(container, needs);
    needs.cpu_units += container.cpu.value_or(0);
    needs.memory_mib += container.memoryReservation.value_or(container.memory.value_or(0));
  }
  if (definition.cpu) needs.cpu_units = number_in(*definition.cpu);
  if (definition.memory) needs.memory_mib = number_in(*definition.memory);
  return needs;
}

Shortage shortage_of(const TaskNeeds& needs, const ContainerInstance& machine, const std::vector<StokerGpuState>& gpus) {
  Shortage shortage;
  const auto lacks = [&](std::string_view name, std::int64_t needed, const std::string& unit, const std::string& more) {
    const std::int64_t free = resource_amount(machine.remainingResources, name);
    const std::int64_t total = resource_amount(machine.registeredResources, name);
    if (needed <= free) return std::int64_t{0};
    shortage.texts.push_back(std::to_string(needed) + " " + unit + " needed, " + std::to_string(free) + " of " +
                             std::to_string(total) + " free" + more);
    return needed - free;
  };
  const std::int64_t all = resource_amount(machine.registeredResources, "GPU");
  const std::int64_t wanted = needs.all_gpus ? std::max<std::int64_t>(all, 1) : needs.gpus;
  shortage.gpus = lacks("GPU", wanted, wanted == 1 ? "GPU" : "GPUs", holders_text(gpus));
  const std::int64_t memory = lacks("MEMORY", needs.memory_mib, "MiB of memory", "");
  shortage.memory_share = share(memory, resource_amount(machine.registeredResources, "MEMORY"));
  if (memory == 0) shortage.memory_share = 0;
  const std::int64_t cpu = lacks("CPU", needs.cpu_units, "CPU units", "");
  shortage.cpu_share = cpu == 0 ? 0 : share(cpu, resource_amount(machine.registeredResources, "CPU"));
  return shortage;
}

void sort_by_cost(std::vector<MachineReport>& reports) {
  std::ranges::stable_sort(reports, {}, [](const MachineReport& one) {
    const bool other = !one.verdict.fits && !one.verdict.reason.value_or("").starts_with("RESOURCE");
    return std::tuple(!one.verdict.fits, other, one.shortage.gpus, one.shortage.memory_share, one.shortage.cpu_share);
  });
}

}  // namespace cli
