// SPDX-License-Identifier: Apache-2.0
#include "cli/shortage.h"

#include <gmock/gmock.h>

namespace cli {
namespace {

using namespace shapes::ecs;
using testing::ElementsAre;
using testing::IsEmpty;

ContainerInstance machine_with(std::vector<std::string> free_gpus, int memory, int cpu) {
  ContainerInstance machine;
  machine.registeredResources = {{.name = "CPU", .integerValue = 4096},
                                 {.name = "MEMORY", .integerValue = 16384},
                                 {.name = "GPU", .stringSetValue = std::vector<std::string>{"GPU-a", "GPU-b"}}};
  machine.remainingResources = {{.name = "CPU", .integerValue = cpu},
                                {.name = "MEMORY", .integerValue = memory},
                                {.name = "GPU", .stringSetValue = std::move(free_gpus)}};
  return machine;
}

TEST(ShortageTest, ADefinitionNeedsTheSumOfItsContainers) {
  TaskDefinition definition;
  ContainerDefinition one, two;
  one.cpu = 256;
  one.memory = 1000;
  one.memoryReservation = 500;
  const ResourceRequirement two_gpus{.value = "2", .type = "GPU"};
  one.resourceRequirements = std::vector{two_gpus};
  two.cpu = 256;
  two.memory = 1000;
  definition.containerDefinitions = {one, two};
  const TaskNeeds needs = needs_of(definition);
  EXPECT_EQ(needs.gpus, 2);
  EXPECT_EQ(needs.cpu_units, 512);
  EXPECT_EQ(needs.memory_mib, 1500);
  definition.cpu = "1024";
  EXPECT_EQ(needs_of(definition).cpu_units, 1024);
}

TEST(ShortageTest, EverythingThatIsMissingIsNamed) {
  shapes::stoker::StokerGpuState held;
  held.holders = {{"arn:aws:ecs:r:0:task/default/3fa94c1b2d7700112233445566778899", "main", std::nullopt, "family:train"}};
  const TaskNeeds needs{.gpus = 2, .all_gpus = false, .cpu_units = 2048, .memory_mib = 8192};
  const Shortage shortage = shortage_of(needs, machine_with({"GPU-b"}, 4096, 1024), {held});
  EXPECT_THAT(shortage.texts, ElementsAre("2 GPUs needed, 1 of 2 free (held by 3fa94c1b2d77)",
                                          "8192 MiB of memory needed, 4096 of 16384 free",
                                          "2048 CPU units needed, 1024 of 4096 free"));
  EXPECT_EQ(shortage.gpus, 1);
  EXPECT_THAT(shortage_of(needs, machine_with({"GPU-a", "GPU-b"}, 16384, 4096), {}).texts, IsEmpty());
}

TEST(ShortageTest, TheNearestMachineNeedsTheLeastToBeFreed) {
  const auto report = [](const char* name, bool fits, const char* reason, std::int64_t gpus, double memory) {
    MachineReport out;
    out.verdict.machine = name;
    out.verdict.fits = fits;
    if (!fits) out.verdict.reason = reason;
    out.shortage.gpus = gpus;
    out.shortage.memory_share = memory;
    return out;
  };
  std::vector<MachineReport> reports{report("lost", false, "AGENT", 0, 0), report("two", false, "RESOURCE:GPU", 2, 0),
                                     report("one-and-memory", false, "RESOURCE:GPU", 1, 0.5),
                                     report("one", false, "RESOURCE:GPU", 1, 0.1), report("fits", true, "", 0, 0)};
  sort_by_cost(reports);
  std::vector<std::string> names;
  for (const MachineReport& one : reports) names.push_back(one.verdict.machine);
  EXPECT_THAT(names, ElementsAre("fits", "one", "one-and-memory", "two", "lost"));
}

}  // namespace
}  // namespace cli
