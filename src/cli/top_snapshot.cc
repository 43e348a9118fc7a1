// SPDX-License-Identifier: Apache-2.0
#include "cli/top_snapshot.h"

#include <algorithm>

#include "cli/cluster_client.h"
#include "cli/job_client.h"
#include "cli/names.h"
#include "cli/rows.h"
#include "shapes/stoker/pipeline.h"
#include "shapes/stoker/pipeline_names.h"

namespace cli {
namespace {

// More would take longer than a second to read.
constexpr std::size_t kMostQueues = 100;
constexpr std::int32_t kMostPipelines = 50;

TopMachine machine_of(const shapes::ecs::ContainerInstance& instance) {
  const auto used = [&](const char* name) {
    return resource_amount(instance.registeredResources, name) - resource_amount(instance.remainingResources, name);
  };
  TopMachine machine;
  machine.name = instance.ec2InstanceId.value_or("");
  machine.state = instance.agentConnected.value_or(false) ? instance.status.value_or("") : "LOST";
  machine.tasks = instance.runningTasksCount.value_or(0);
  machine.pending = instance.pendingTasksCount.value_or(0);
  machine.cpu_used = used("CPU");
  machine.cpu_total = resource_amount(instance.registeredResources, "CPU");
  machine.memory_used_mib = used("MEMORY");
  machine.memory_total_mib = resource_amount(instance.registeredResources, "MEMORY");
  machine.gpus_used = used("GPU");
  machine.gpus_total = resource_amount(instance.registeredResources, "GPU");
  return machine;
}

// "stoker-ocr 3fa94c1b", "stoker-ocr x 3" if several tasks share it
std::string holders_of(const shapes::stoker::StokerGpuState& gpu) {
  std::map<std::string, std::vector<std::string>> tasks;
  for (const auto& holder : gpu.holders) {
    const std::string service = service_of(holder.group);
    tasks[service.empty() ? holder.group : service].push_back(short_id(holder.taskArn));
  }
  std::string text;
  for (const auto& [name, ids] : tasks) {
    text += (text.empty() ? "" : ", ") + name + (ids.size() == 1 ? " " + ids.front().substr(0, 8)
                                                                 : " x " + std::to_string(ids.size()));
  }
  return text;
}

TopGpu gpu_of(const shapes::stoker::StokerGpuState& gpu) {
  TopGpu one;
  one.machine = gpu.machine;
  one.index = gpu.index;
  one.model = gpu.model;
  one.healthy = gpu.healthy;
  one.utilization_percent = gpu.utilizationPercent;
  one.memory_used_mib = gpu.memoryUsedInMiB;
  one.memory_total_mib = gpu.totalMemoryInMiB;
  one.held_by = holders_of(gpu);
  return one;
}

TopPipeline pipeline_of(const PipelineSummary& summary) {
  TopPipeline pipeline;
  pipeline.name = summary.name;
  pipeline.paused = summary.paused.value_or(false);
  pipeline.queued = summary.queued.value_or(0);
  pipeline.running = summary.running.value_or(0);
  pipeline.succeeded = summary.succeeded.value_or(0);
  pipeline.failed = summary.failed.value_or(0);
  pipeline.workers = summary.workers.value_or(0);
  pipeline.max = summary.max.value_or(0);
  return pipeline;
}

// The other parts are shown even if this one can't be read.
template <class Fn>
auto read_part(const char* what, std::string& trouble, Fn&& read) -> decltype(read()) {
  try {
    return read();
  } catch (const wire::ApiError& error) {
    if (trouble.empty()) trouble = std::string(what) + ": " + error.message();
  } catch (const std::exception& error) {
    if (trouble.empty()) trouble = std::string(what) + ": " + error.what();
  }
  return {};
}

}  // namespace

void TopRates::add_to(TopSnapshot& snapshot) {
  std::map<std::string, std::deque<Count>> counts;
  for (TopPipeline& pipeline : snapshot.pipelines) {
    std::deque<Count>& seen = counts[pipeline.name] = std::move(counts_[pipeline.name]);
    // A smaller number is of another pipeline with the same name.
    if (!seen.empty() && seen.back().finished > pipeline.finished()) seen.clear();
    seen.push_back({snapshot.now, pipeline.finished()});
    while (seen.size() > 2 && snapshot.now - seen.front().at > kWindow) seen.pop_front();
    const std::chrono::duration<double> time = snapshot.now - seen.front().at;
    if (time.count() <= 0) continue;
    pipeline.items_per_second = static_cast<double>(pipeline.finished() - seen.front().finished) / time.count();
  }
  counts_ = std::move(counts);
}

TopReader::TopReader(const Options& options)
    : cluster_(std::make_unique<ClusterClient>(options)),
      queues_(std::make_unique<QueueClient>(cluster_->profile())),
      jobs_(std::make_unique<JobClient>(options)),
      pipelines_(std::make_unique<client::Client>(cluster_->profile())) {}
TopReader::~TopReader() = default;

std::vector<TopMachine> TopReader::machines() {
  std::vector<TopMachine> machines;
  for (const auto& instance : cluster_->instances()) machines.push_back(machine_of(instance));
  return machines;
}

std::vector<TopGpu> TopReader::gpus() {
  std::vector<TopGpu> gpus;
  for (const auto& gpu : cluster_->gpus()) gpus.push_back(gpu_of(gpu));
  return gpus;
}

// Those with messages first.
std::vector<QueueCounts> TopReader::queues(base::Time now) {
  std::vector<QueueCounts> queues;
  for (const std::string& url : queues_->urls(kMostQueues)) queues.push_back(queues_->counts(url));
  queues_->add_ages(queues, now);
  std::ranges::sort(queues, {}, [](const QueueCounts& queue) { return std::pair(queue.empty(), queue.name); });
  return queues;
}

std::vector<TopPipeline> TopReader::pipelines() {
  const client::Target target{shapes::stoker::kPipelineService, "pipelines", wire::Protocol::Json11};
  const shapes::stoker::ListPipelinesRequest request{.maxResults = kMostPipelines};
  const auto listed = pipelines_->call<shapes::stoker::ListPipelinesResponse>(target, "ListPipelines", request);
  std::vector<TopPipeline> pipelines;
  for (const shapes::stoker::PipelineDescription& one : listed.pipelines) {
    try {
      pipelines.push_back(pipeline_of(jobs_->pipeline(one.name)));
    } catch (const JobApiError& error) {
      if (error.status() != 404) throw;  // deleted meanwhile
    }
  }
  return pipelines;
}

TopSnapshot TopReader::read(base::Time now) {
  TopSnapshot snapshot;
  snapshot.now = now;
  snapshot.endpoint = client::host_of(cluster_->profile().endpoint);
  snapshot.cluster = cluster_->cluster();
  std::string& trouble = snapshot.trouble;
  snapshot.machines = read_part("machines", trouble, [&] { return machines(); });
  snapshot.gpus = read_part("GPUs", trouble, [&] { return gpus(); });
  snapshot.queues = read_part("queues", trouble, [&] { return queues(now); });
  snapshot.pipelines = read_part("pipelines", trouble, [&] { return pipelines(); });
  rates_.add_to(snapshot);
  return snapshot;
}

}  // namespace cli
