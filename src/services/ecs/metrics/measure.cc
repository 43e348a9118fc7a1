// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/metrics/measure.h"

#include <algorithm>
#include <tuple>

#include "services/ecs/capacity/reservation.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/machines/live_gpus.h"
#include "services/ecs/metrics/instance_metrics.h"
#include "services/ecs/metrics/live_usage.h"
#include "services/shape_json.h"
#include "shapes/stoker/machine.h"
#include "state/definition.h"
#include "state/ec2_instance.h"
#include "state/launch.h"
#include "state/task_name.h"

namespace services::ecs {
namespace {

constexpr std::string_view kServiceGroup = "service:", kFamilyGroup = "family:";

// The families of tasks, each launch read once.
class Families {
 public:
  explicit Families(store::Tx& tx) : tx_(tx) {}

  std::string of(const model::TaskHold& task) {
    if (task.group.starts_with(kFamilyGroup)) return task.group.substr(kFamilyGroup.size());
    const auto name = state::parse_task_name(task.task.str());
    if (!name) return "";
    auto [known, added] = families_.try_emplace(name->launch());
    if (!added) return known->second;
    const auto launch = state::find_launch(tx_, name->launch());
    const auto definition = launch ? state::find_definition(tx_, launch->definition) : std::nullopt;
    if (definition) known->second = definition->family;
    return known->second;
  }

 private:
  store::Tx& tx_;
  std::map<state::LaunchNumber, std::string> families_;
};

SeenTask see_task(const model::TaskHold& hold) {
  SeenTask task;
  task.id = hold.task.str();
  if (hold.group.starts_with(kServiceGroup)) task.service = hold.group.substr(kServiceGroup.size());
  task.running = hold.running;
  task.cpu_units = static_cast<double>(hold.cpu);
  task.memory_mib = static_cast<double>(hold.memory_mib);
  for (const model::GpuHold& gpu : hold.gpus) {
    if (std::ranges::find(task.gpus, gpu.gpu.str()) == task.gpus.end()) task.gpus.push_back(gpu.gpu.str());
  }
  return task;
}

template <class Number>
std::optional<double> as_double(const std::optional<Number>& value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

void add_sample(SeenGpu& gpu, const shapes::agent::StokerGpuSample& sample) {
  gpu.utilization = sample.utilizationPercent;
  gpu.used_mib = static_cast<double>(sample.memoryUsedInMiB);
  gpu.free_mib = static_cast<double>(sample.memoryTotalInMiB - sample.memoryUsedInMiB);
  gpu.celsius = as_double(sample.temperatureCelsius);
  gpu.watts = sample.powerWatts;
  gpu.sm_clock_mhz = as_double(sample.smClockInMHz);
  gpu.xid = as_double(sample.xid);
}

// A machine in the fleet, a cache. Nothing here may block.
struct FleetMachine {
  model::InstanceId id;
  SeenMachine seen;
  std::vector<model::TaskHold> tasks;
};

double reserved_part(const scheduler::GpuUse& use) {
  if (use.whole_holders > 0) return 1;
  if (use.shared_holders == 0 || use.memory_mib == 0) return 0;
  return static_cast<double>(use.shared_memory_mib) / static_cast<double>(use.memory_mib);
}

std::vector<FleetMachine> copy_fleet(const scheduler::Fleet& fleet) {
  std::vector<FleetMachine> all;
  for (const scheduler::Machine* machine : fleet.machines()) {
    const model::Instance& instance = machine->instance();
    const bool counts =
        instance.status == model::InstanceStatus::Active || instance.status == model::InstanceStatus::Draining;
    if (!counts) continue;
    FleetMachine& copy = all.emplace_back();
    copy.id = instance.id;
    copy.seen.id = instance.id.str();
    copy.seen.name = instance.ec2_instance_id;
    copy.seen.cpu_units = static_cast<double>(instance.total.cpu);
    copy.seen.memory_mib = static_cast<double>(instance.total.memory_mib);
    for (std::size_t i = 0; i < instance.total.gpus.size(); ++i) {
      copy.seen.gpus.push_back({.id = instance.total.gpus[i].id.str(), .reserved = reserved_part(machine->gpu_uses()[i])});
    }
    copy.tasks.assign(machine->tasks().begin(), machine->tasks().end());
  }
  return all;
}

void add_usage(const LiveUsage& usage, base::Time now, const model::InstanceId& id, SeenMachine& machine) {
  const auto reported = usage.of(id, now);
  for (SeenTask& task : machine.tasks) {
    const auto found = reported.find(task.id);
    if (found == reported.end()) continue;
    task.used.emplace();
    for (const auto& [name, used] : found->second.containers) {
      task.used->push_back({name, used.cpu_percent / 100 * machine.cpu_units, used.memory_mib});
    }
  }
}

// Samples are forgotten when the session of their agent ends.
void add_samples(LiveGpus& live, const model::InstanceId& id, SeenMachine& machine) {
  const shapes::agent::StokerGpuSamples samples = live.of(id);
  for (const shapes::agent::StokerGpuSample& sample : samples.samples) {
    for (SeenGpu& gpu : machine.gpus) {
      if (gpu.id == sample.id) add_sample(gpu, sample);
    }
  }
}

// Machines are named after their EC2 instances, and may also have the name of a host.
void add_ec2_groups(Call& call, SeenCluster& seen) {
  const bool has_instances =
      std::ranges::any_of(seen.machines, [](const SeenMachine& one) { return one.name.starts_with("i-"); });
  if (!has_instances) return;
  const auto groups = state::ec2_groups(call.tx, seen.account, seen.region);
  for (SeenMachine& machine : seen.machines) {
    if (const auto found = groups.find(machine.name); found != groups.end()) machine.ec2_group = found->second;
  }
}

Insights insights_of(store::Tx& tx, state::ClusterNumber number) {
  const auto body = from_json<shapes::ecs::Cluster>(state::cluster_body(tx, number));
  if (!body.settings) return Insights::Off;
  for (const shapes::ecs::ClusterSetting& setting : *body.settings) {
    if (setting.name != "containerInsights") continue;
    if (setting.value == "enhanced") return Insights::Enhanced;
    if (setting.value == "enabled") return Insights::On;
  }
  return Insights::Off;
}

// Tasks come and go, and a stored metric stays for 15 months, so each task has metrics of its own only if somebody looks
// at them, or if the cluster's Container Insights are enhanced, as with Amazon.
bool is_of_task(const MetricKey& metric) { return metric.dimensions.contains("TaskId"); }
// Instances of groups come and go as well.
bool is_of_ec2_instance(const MetricKey& metric) {
  return metric.space == kEc2Space && metric.dimensions.contains("InstanceId");
}

// "i-0a..." or the name of a group, of a metric of EC2 instances.
std::optional<std::string> named_instance(const MetricKey& metric) {
  const auto found = metric.dimensions.find("InstanceId");
  return metric.space == kEc2Space && found != metric.dimensions.end() ? std::optional(found->second) : std::nullopt;
}
std::optional<std::string> named_group(const MetricKey& metric) {
  const auto found = metric.dimensions.find("AutoScalingGroupName");
  const bool is_ours = metric.space == kEc2Space || metric.space == kGpuSpace;
  return is_ours && found != metric.dimensions.end() ? std::optional(found->second) : std::nullopt;
}

// The clusters that the instances of a metric join.
std::set<std::string> clusters_of_instances(Call& call, const MetricKey& metric) {
  std::vector<state::Ec2Instance> instances;
  if (const auto group = named_group(metric)) {
    instances = state::list_ec2_instances_of(call.tx, metric.account, metric.region, *group);
  } else if (const auto id = named_instance(metric)) {
    if (auto one = state::find_ec2_instance(call.tx, *id)) instances.push_back(std::move(*one));
  }
  std::set<std::string> names;
  for (const state::Ec2Instance& one : instances) {
    if (one.account != metric.account || one.region != metric.region || one.agent_json.empty()) continue;
    names.insert(from_json<shapes::stoker::AgentSettings>(one.agent_json).cluster);
  }
  return names;
}

bool is_cluster_metric(const MetricKey& metric) {
  return metric.space == kEcsSpace || metric.space == kInsightsSpace || metric.space == kGpuSpace;
}

// Clusters with a metric of interest.
std::set<state::ClusterNumber> clusters_of_interest(Call& call, const std::set<MetricKey>& interest) {
  std::set<state::ClusterNumber> numbers;
  std::set<std::tuple<std::string, std::string, std::string>> names;
  const auto add = [&](const MetricKey& metric, const std::string& name) {
    if (!names.insert({metric.account, metric.region, name}).second) return;
    const auto cluster = state::find_cluster(call.tx, {metric.account, metric.region, name});
    if (cluster) numbers.insert(cluster->number);
  };
  for (const MetricKey& metric : interest) {
    for (const std::string& name : clusters_of_instances(call, metric)) add(metric, name);
    const auto name = metric.dimensions.find("ClusterName");
    if (is_cluster_metric(metric) && name != metric.dimensions.end()) add(metric, name->second);
  }
  return numbers;
}

}  // namespace

SeenCluster see_cluster(Call& call, const state::Cluster& cluster) {
  SeenCluster seen{.account = cluster.account, .region = cluster.region, .name = cluster.name};
  seen.insights = insights_of(call.tx, cluster.number);
  Families families(call.tx);
  auto machines = call.local<Fleets>().with(cluster.number, [](const scheduler::Fleet& fleet) { return copy_fleet(fleet); });
  for (FleetMachine& machine : machines) {
    for (const model::TaskHold& hold : machine.tasks) {
      SeenTask& task = machine.seen.tasks.emplace_back(see_task(hold));
      if (seen.insights != Insights::Off) task.family = families.of(hold);
    }
    add_usage(call.local<LiveUsage>(), call.now, machine.id, machine.seen);
    add_samples(call.local<LiveGpus>(), machine.id, machine.seen);
    seen.machines.push_back(std::move(machine.seen));
  }
  add_ec2_groups(call, seen);
  return seen;
}

Measured measure(Call& call, const Due& due) {
  Measured result;
  measure_reservations(call, due, result);
  if (!due.minute && !due.second) return result;
  std::set<state::ClusterNumber> fast = clusters_of_interest(call, due.interest);
  std::set<state::ClusterNumber> turns = fast;
  if (due.minute) turns.merge(call.local<Fleets>().clusters());
  call.local<LiveUsage>().set_fast(std::move(fast));
  for (state::ClusterNumber number : turns) {
    const auto cluster = state::find_cluster(call.tx, number);
    if (!cluster || !cluster->active) continue;
    const SeenCluster seen = see_cluster(call, *cluster);
    std::vector<Measurement> points = measure_cluster(seen, call.now);
    for (Measurement& point : measure_instances(seen, call.now)) points.push_back(std::move(point));
    for (Measurement& point : points) {
      point.high_resolution = due.interest.contains(point.metric);
      const bool usual = due.minute && (!is_of_task(point.metric) || seen.insights == Insights::Enhanced) &&
                         !is_of_ec2_instance(point.metric);
      if (usual || point.high_resolution) result.points.push_back(std::move(point));
    }
  }
  return result;
}

}  // namespace services::ecs
