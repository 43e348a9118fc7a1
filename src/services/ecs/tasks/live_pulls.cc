// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/live_pulls.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/byte_size.h"
#include "base/utf8.h"

namespace services::ecs {
namespace {

using shapes::agent::StokerPull;

// What an agent sends may be anything.
StokerPull checked(StokerPull pull, base::Time now) {
  pull.image = base::to_printable(pull.image.substr(0, LivePulls::kMaxTextBytes));
  pull.startedAt = std::clamp<std::int64_t>(pull.startedAt, 0, base::to_millis(now));
  for (std::int32_t* count : {&pull.layers, &pull.layersDone, &pull.layersExisting}) *count = std::max(*count, 0);
  for (std::int64_t* bytes : {&pull.downloadedBytes, &pull.totalBytes}) *bytes = std::max<std::int64_t>(*bytes, 0);
  return pull;
}

std::string text_of(const StokerPull& pull) {
  if (pull.layers == 0) return "";
  std::string text = fmt::format("{} of {} layers", pull.layersDone, pull.layers);
  if (pull.totalBytes > 0) {
    text += fmt::format(", {} of {}", base::size_text(static_cast<std::uint64_t>(pull.downloadedBytes)),
                        base::size_text(static_cast<std::uint64_t>(pull.totalBytes)));
  }
  return text + (pull.extracting ? ", extracting" : "");
}

}  // namespace

std::vector<model::TaskId> LivePulls::put(const model::InstanceId& instance, base::Time now,
                                          shapes::agent::StokerPulls pulls) {
  ByTask tasks;
  if (pulls.pulls.size() > kMaxPulls) pulls.pulls.resize(kMaxPulls);
  for (StokerPull& pull : pulls.pulls) {
    const std::vector<std::string> arns = std::exchange(pull.taskArns, {});
    const StokerPull one = checked(std::move(pull), now);
    for (const std::string& arn : arns) {
      if (tasks.size() == kMaxTasks || arn.size() > kMaxTextBytes) break;
      tasks[model::TaskId(arn.substr(arn.rfind('/') + 1))].push_back(one);
    }
  }
  return machines_.with([&](auto& machines) {
    ByTask& known = machines[instance];
    std::vector<model::TaskId> changed;
    for (const auto& [task, now_pulled] : tasks) {
      const auto before = known.find(task);
      if (before == known.end() || before->second != now_pulled) changed.push_back(task);
    }
    for (const auto& [task, pulled] : known) {
      if (!tasks.contains(task)) changed.push_back(task);
    }
    known = std::move(tasks);
    if (known.empty()) machines.erase(instance);
    return changed;
  });
}

std::vector<StokerPull> LivePulls::of(const model::InstanceId& instance, const model::TaskId& task) const {
  return machines_.with([&](const auto& machines) {
    const auto machine = machines.find(instance);
    if (machine == machines.end()) return std::vector<StokerPull>();
    const auto pulls = machine->second.find(task);
    return pulls == machine->second.end() ? std::vector<StokerPull>() : pulls->second;
  });
}

shapes::stoker::StokerPullState to_state(const StokerPull& pull) {
  return {.image = pull.image,
          .startedAt = base::from_millis(pull.startedAt),
          .layers = pull.layers,
          .layersDone = pull.layersDone,
          .layersExisting = pull.layersExisting,
          .downloadedBytes = pull.downloadedBytes,
          .totalBytes = pull.totalBytes,
          .phase = pull.extracting ? "EXTRACTING" : "DOWNLOADING",
          .detail = text_of(pull)};
}

}  // namespace services::ecs
