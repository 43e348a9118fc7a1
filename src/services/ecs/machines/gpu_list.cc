// SPDX-License-Identifier: Apache-2.0
// StokerListGpus: every GPU of a cluster, its load and its holders.
#include <algorithm>

#include "services/ecs/arn.h"
#include "services/ecs/machines/instance.h"
#include "services/ecs/machines/instance_operations.h"
#include "services/ecs/machines/live_gpus.h"
#include "services/ecs/operations.h"
#include "services/ecs/page.h"

namespace services::ecs {
namespace {

using shapes::stoker::StokerGpuHolder;
using shapes::stoker::StokerGpuState;

std::vector<StokerGpuHolder> holders_of(const state::Cluster& cluster, const scheduler::Machine& machine,
                                        const model::GpuId& gpu) {
  std::vector<StokerGpuHolder> holders;
  for (const model::TaskHold& task : machine.tasks()) {
    for (const model::GpuHold& hold : task.gpus) {
      if (hold.gpu != gpu) continue;
      StokerGpuHolder holder{task_arn(cluster, task.task), hold.container, std::nullopt, task.group};
      if (hold.shared_memory_mib > 0) holder.sharedMemoryInMiB = hold.shared_memory_mib;
      holders.push_back(std::move(holder));
    }
  }
  return holders;
}

void add_load(StokerGpuState& state, const shapes::agent::StokerGpuSamples& load) {
  for (const shapes::agent::StokerGpuSample& sample : load.samples) {
    if (sample.id != state.gpuId) continue;
    state.utilizationPercent = sample.utilizationPercent;
    state.memoryUsedInMiB = sample.memoryUsedInMiB;
    state.temperatureCelsius = sample.temperatureCelsius;
    state.powerWatts = sample.powerWatts;
  }
}

std::optional<std::string> trouble_of(const StoredInstance& instance, const std::string& gpu) {
  for (const shapes::agent::StokerGpu& reported : instance.gpus.gpus) {
    if (reported.id == gpu) return reported.trouble;
  }
  return std::nullopt;
}

void add_gpus(Call& call, const state::Cluster& cluster, const StoredInstance& instance,
              std::vector<StokerGpuState>& out) {
  const scheduler::Machine machine = machine_of(call.tx, instance);
  // The last report of a disconnected agent is out of date.
  const auto load =
      instance.connected ? call.local<LiveGpus>().of(instance.id) : shapes::agent::StokerGpuSamples();
  const std::vector<model::Gpu>& gpus = machine.instance().total.gpus;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const scheduler::GpuUse& use = machine.gpu_uses()[i];
    StokerGpuState state;
    state.gpuId = gpus[i].id.str();
    state.index = static_cast<std::int32_t>(i);
    state.machine = instance.name;
    state.containerInstanceArn = instance_arn(cluster, instance.id);
    state.model = gpus[i].model;
    state.totalMemoryInMiB = gpus[i].memory_mib;
    state.healthy = gpus[i].healthy;
    state.trouble = trouble_of(instance, state.gpuId);
    state.sharingMode = use.whole_holders > 0 ? "DEDICATED" : use.shared_holders > 0 ? "NVIDIA_MPS" : "IDLE";
    state.remainingMemoryInMiB = use.whole_holders > 0 ? 0 : gpus[i].memory_mib - use.shared_memory_mib;
    add_load(state, load);
    state.holders = holders_of(cluster, machine, gpus[i].id);
    out.push_back(std::move(state));
  }
}

}  // namespace

shapes::stoker::StokerListGpusResponse stoker_list_gpus(Call& call,
                                                        const shapes::stoker::StokerListGpusRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  const Page page = page_of(request.maxResults, request.nextToken);
  const std::vector<StoredInstance> instances = load_instances(call.tx, cluster.number);
  std::vector<std::string> ids;
  for (const StoredInstance& instance : instances) {
    if (instance.id.str() > page.after) ids.push_back(instance.id.str());
  }
  shapes::stoker::StokerListGpusResponse response;
  response.nextToken = cut_page(ids, page);
  for (const StoredInstance& instance : instances) {
    if (std::binary_search(ids.begin(), ids.end(), instance.id.str())) add_gpus(call, cluster, instance, response.gpus);
  }
  return response;
}

std::vector<Operation> gpu_operations() {
  return {
      operation<&stoker_list_gpus>("StokerListGpus", Access::Read),
  };
}

}  // namespace services::ecs
