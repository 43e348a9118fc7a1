// SPDX-License-Identifier: Apache-2.0
#include "services/application_autoscaling/tracked_metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "services/application_autoscaling/errors.h"
#include "services/arn.h"

namespace services::application_autoscaling {
namespace {

using namespace shapes::application_autoscaling;
using shapes::cloudwatch::Dimension;
using shapes::cloudwatch::MetricDataQuery;
using shapes::cloudwatch::PutMetricAlarmInput;

// Where ECS publishes what NVIDIA's DCGM names so.
constexpr char kGpuMetrics[] = "ECS/ContainerInsights/Prometheus";
constexpr std::string_view kHighResolution = "HighResolution";

struct PlainMetric {
  std::string_view type, space, name;
};
// Percentages of a service's tasks or GPUs.
constexpr std::array<PlainMetric, 3> kPlainMetrics = {{
    {"ECSServiceAverageCPUUtilization", "AWS/ECS", "CPUUtilization"},
    {"ECSServiceAverageMemoryUtilization", "AWS/ECS", "MemoryUtilization"},
    {"ECSServiceAverageGPUUtilization", kGpuMetrics, "DCGM_FI_DEV_GPU_UTIL"},
}};
constexpr char kGpuMemory[] = "ECSServiceAverageGPUMemoryUtilization";

const PlainMetric* find_plain(const std::string& type) {
  const auto found =
      std::find_if(kPlainMetrics.begin(), kPlainMetrics.end(), [&](const PlainMetric& one) { return one.type == type; });
  return found == kPlainMetrics.end() ? nullptr : &*found;
}

std::vector<Dimension> service_dimensions(const StoredTarget& target) {
  const auto name = parse_resource(target.resource);
  CHECK(name) << "a stored target without a resource";
  return {{.Name = "ClusterName", .Value = name->cluster}, {.Name = "ServiceName", .Value = name->service}};
}

// A queue's name, or its ARN in the target's account and region; nullopt for other text.
std::optional<std::string> queue_name(const StoredTarget& target, const std::string& label) {
  std::string name = label;
  if (label.starts_with("arn:")) {
    const auto arn = parse_arn(label, "sqs");
    if (!arn || arn->account != target.account || arn->region != target.region) return std::nullopt;
    name = std::string(arn->resource);
  }
  constexpr char kCharacters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  if (name.empty() || name.size() > 80 || name.find_first_not_of(kCharacters) != name.npos) return std::nullopt;
  return name;
}

struct MathMetric {
  std::string id, space, name;
  std::vector<Dimension> dimensions;
};

MetricDataQuery average_of(const MathMetric& metric, std::int32_t period_s) {
  MetricDataQuery query{.Id = metric.id};
  query.MetricStat.emplace();
  query.MetricStat->Metric.Namespace = metric.space;
  query.MetricStat->Metric.MetricName = metric.name;
  query.MetricStat->Metric.Dimensions = metric.dimensions;
  query.MetricStat->Period = period_s;
  query.MetricStat->Stat = "Average";
  query.ReturnData = false;
  return query;
}

MetricDataQuery result_of(std::string expression, std::string label) {
  MetricDataQuery query{.Id = "result"};
  query.Expression = std::move(expression);
  query.Label = std::move(label);
  query.ReturnData = true;
  return query;
}

std::vector<MetricDataQuery> gpu_memory_math(const StoredTarget& target, std::int32_t period_s) {
  const auto service = service_dimensions(target);
  return {average_of({"used", kGpuMetrics, "DCGM_FI_DEV_FB_USED", service}, period_s),
          average_of({"free", kGpuMetrics, "DCGM_FI_DEV_FB_FREE", service}, period_s),
          result_of("100 * used / (used + free)", "GPU memory in use, percent")};
}

// With no task, any message exceeds the target: a backlog below the target must not wait for ever.
std::vector<MetricDataQuery> backlog_math(const StoredTarget& target, const std::string& queue, double tracked,
                                          std::int32_t period_s) {
  const std::vector<Dimension> of_queue = {{.Name = "QueueName", .Value = queue}};
  const std::string expression = fmt::format(
      "(visible + hidden) / IF(tasks > 0, tasks, 1) + IF(tasks > 0, 0, IF(visible + hidden > 0, {}, 0))", tracked);
  return {average_of({"visible", "AWS/SQS", "ApproximateNumberOfMessagesVisible", of_queue}, period_s),
          average_of({"hidden", "AWS/SQS", "ApproximateNumberOfMessagesNotVisible", of_queue}, period_s),
          average_of({"tasks", kTaskSpace, kTaskMetric, service_dimensions(target)}, period_s),
          result_of(expression, "Messages per task")};
}

std::vector<MetricDataQuery> customized_math(const std::vector<TargetTrackingMetricDataQuery>& metrics,
                                             std::int32_t period_s) {
  std::vector<MetricDataQuery> queries;
  for (const TargetTrackingMetricDataQuery& one : metrics) {
    MetricDataQuery& query = queries.emplace_back(MetricDataQuery{.Id = one.Id});
    query.Expression = one.Expression;
    query.Label = one.Label;
    query.ReturnData = one.ReturnData.value_or(true);
    if (!one.MetricStat) continue;
    query.MetricStat.emplace();
    query.MetricStat->Metric.Namespace = one.MetricStat->Metric.Namespace;
    query.MetricStat->Metric.MetricName = one.MetricStat->Metric.MetricName;
    if (one.MetricStat->Metric.Dimensions) {
      query.MetricStat->Metric.Dimensions.emplace();
      for (const auto& dimension : *one.MetricStat->Metric.Dimensions) {
        query.MetricStat->Metric.Dimensions->push_back({.Name = dimension.Name, .Value = dimension.Value});
      }
    }
    query.MetricStat->Period = period_s;
    query.MetricStat->Stat = one.MetricStat->Stat;
    query.MetricStat->Unit = one.MetricStat->Unit;
  }
  return queries;
}

void set_customized(const CustomizedMetricSpecification& metric, std::int32_t period_s, PutMetricAlarmInput& alarm) {
  if (metric.Metrics) {
    alarm.Metrics = customized_math(*metric.Metrics, period_s);
    return;
  }
  alarm.Namespace = metric.Namespace;
  alarm.MetricName = metric.MetricName;
  alarm.Statistic = metric.Statistic;
  alarm.Unit = metric.Unit;
  alarm.Period = period_s;
  if (!metric.Dimensions) return;
  alarm.Dimensions.emplace();
  for (const MetricDimension& one : *metric.Dimensions) alarm.Dimensions->push_back({.Name = one.Name, .Value = one.Value});
}

void set_predefined(const StoredTarget& target, const TargetTrackingScalingPolicyConfiguration& configuration,
                    std::int32_t period_s, PutMetricAlarmInput& alarm) {
  const PredefinedMetricSpecification& metric = *configuration.PredefinedMetricSpecification;
  if (metric.PredefinedMetricType == kGpuMemory) {
    alarm.Metrics = gpu_memory_math(target, period_s);
    return;
  }
  if (metric.PredefinedMetricType == kBacklogPerTask) {
    const auto queue = queue_name(target, metric.ResourceLabel.value_or(""));
    CHECK(queue) << "a stored policy without its queue";
    alarm.Metrics = backlog_math(target, *queue, configuration.TargetValue, period_s);
    return;
  }
  const PlainMetric* plain = find_plain(metric.PredefinedMetricType);
  CHECK(plain) << "a stored policy without its metric";
  alarm.Namespace = plain->space;
  alarm.MetricName = plain->name;
  alarm.Dimensions = service_dimensions(target);
  alarm.Statistic = "Average";
  alarm.Unit = "Percent";
  alarm.Period = period_s;
}

}  // namespace

void check_predefined_metric(const StoredTarget& target, const PredefinedMetricSpecification& metric) {
  const std::string& type = metric.PredefinedMetricType;
  if (type.starts_with("ECS") && type.ends_with(kHighResolution)) {
    throw validation_error("High-resolution metrics are not fully enabled on the ECS service.");
  }
  if (type == kBacklogPerTask) {
    if (!queue_name(target, metric.ResourceLabel.value_or(""))) {
      throw validation_error(
          "Resource label should be the name or the ARN of a queue for predefined metric type SQSBacklogPerTask");
    }
    return;
  }
  if (!find_plain(type) && type != kGpuMemory) throw unsupported("the predefined metric type " + type);
  if (metric.ResourceLabel) {
    throw validation_error("Resource label should not be specified for predefined metric type " + type);
  }
}

void check_customized_metric(const CustomizedMetricSpecification& metric) {
  const bool single = metric.MetricName || metric.Namespace || metric.Dimensions || metric.Statistic || metric.Unit;
  if (!metric.Metrics) {
    if (metric.MetricName && metric.Namespace && metric.Statistic) return;
    throw validation_error("MetricName, Namespace and Statistic must be specified for a customized metric");
  }
  if (single) throw validation_error("Metrics cannot be specified together with a single metric");
  const auto returned = std::count_if(metric.Metrics->begin(), metric.Metrics->end(),
                                      [](const auto& one) { return one.ReturnData.value_or(true); });
  if (returned != 1) throw validation_error("Exactly one element of the metrics list should return data");
  for (const TargetTrackingMetricDataQuery& one : *metric.Metrics) {
    if (one.Expression.has_value() == one.MetricStat.has_value()) {
      throw validation_error("Each element of the metrics list must have either an Expression or a MetricStat");
    }
  }
}

bool tracks_backlog(const TargetTrackingScalingPolicyConfiguration& configuration) {
  return configuration.PredefinedMetricSpecification &&
         configuration.PredefinedMetricSpecification->PredefinedMetricType == kBacklogPerTask;
}

void set_metric(const StoredTarget& target, const TargetTrackingScalingPolicyConfiguration& configuration,
                std::int32_t period_s, PutMetricAlarmInput& alarm) {
  if (configuration.PredefinedMetricSpecification) {
    set_predefined(target, configuration, period_s, alarm);
  } else {
    set_customized(*configuration.CustomizedMetricSpecification, period_s, alarm);
  }
}

}  // namespace services::application_autoscaling
