// SPDX-License-Identifier: Apache-2.0
// The metrics of a cluster, computed from what is known of it at one moment: AWS/ECS, ECS/ContainerInsights, and GPUs
// with the names of NVIDIA's DCGM. Pure: docs/metrics.md has the formulas.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "services/measurement.h"

namespace services::ecs {

inline constexpr char kEcsSpace[] = "AWS/ECS";
inline constexpr char kInsightsSpace[] = "ECS/ContainerInsights";
// Where Amazon's CloudWatch agent puts what it scrapes from dcgm-exporter.
inline constexpr char kGpuSpace[] = "ECS/ContainerInsights/Prometheus";

enum class Insights { Off, On, Enhanced };

struct SeenContainer {
  std::string name;
  double cpu_units = 0, memory_mib = 0;  // used
};

struct SeenTask {
  std::string id, family;
  std::string service;  // "" for a task that no service runs
  bool running = false;
  double cpu_units = 0, memory_mib = 0;  // reserved
  std::vector<std::string> gpus;         // ids
  // Absent: its agent has not reported its usage.
  std::optional<std::vector<SeenContainer>> used = {};
};

struct SeenGpu {
  std::string id;
  double reserved = 0;  // 1: held as a whole; less: the share of its memory that is held
  // Absent values were not reported.
  std::optional<double> utilization, celsius, used_mib, free_mib, watts, sm_clock_mhz, xid;
};

struct SeenMachine {
  std::string id, name;  // container instance id, and what is shown as ec2InstanceId
  double cpu_units = 0, memory_mib = 0;
  std::vector<SeenGpu> gpus;
  std::vector<SeenTask> tasks;
  std::optional<std::string> ec2_group = {};  // of an EC2 instance: its Auto Scaling group, or ""
};

// Machines that are ACTIVE or DRAINING.
struct SeenCluster {
  std::string account, region, name;
  Insights insights = Insights::Off;
  std::vector<SeenMachine> machines;
};

// A sample for each resource that a metric covers, so that statistics of a cluster are those of its tasks or GPUs.
std::vector<Measurement> measure_cluster(const SeenCluster& cluster, base::Time now);

// Collects samples of metrics by namespace, name and dimensions.
class SampleSet {
 public:
  using Dimensions = std::map<std::string, std::string>;

  SampleSet(const SeenCluster& cluster, base::Time now) : cluster_(cluster), now_(now) {}

  // `dimensions` without ClusterName, which all have.
  void add(const char* space, const std::string& name, const char* unit, const Dimensions& dimensions, double value);
  std::vector<Measurement> take();

 private:
  const SeenCluster& cluster_;
  const base::Time now_;
  std::map<MetricKey, std::pair<const char*, std::map<double, double>>> samples_;
};

void add_insights(const SeenCluster& cluster, SampleSet& into);
void add_gpu_metrics(const SeenCluster& cluster, SampleSet& into);

}  // namespace services::ecs
