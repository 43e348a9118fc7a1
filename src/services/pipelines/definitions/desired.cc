// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/definitions/desired.h"

#include <fmt/format.h>

#include <algorithm>

#include "services/pipelines/pipeline_row.h"

namespace services::pipelines {
namespace {

constexpr char kBuiltinImage[] = "stoker/builtin";
constexpr char kWorkerProgram[] = "/stoker/stoker-work";
constexpr char kWorkerLabel[] = "stoker.worker";
constexpr int kReservedMemoryMib = 512;  // of a worker without a limit
constexpr int kMessageRetentionS = 14 * 86400;  // the longest: a paused pipeline keeps its items
constexpr base::Duration kLeastVisibility = std::chrono::seconds(30), kMostVisibility = std::chrono::minutes(2);
constexpr std::int64_t kStopMarginS = 15;
// Receives beyond the attempts of a job: a worker that ends, or dies, has received items that it never began with. They
// are no attempts.
constexpr int kUncountedReceives = 10;
// What Logs accepts.
constexpr int kLogRetentions[] = {1,   3,   5,   7,   14,   30,   60,   90,   120,  150,  180,
                                  365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653};

// A worker extends the visibility of what it holds, so this is only how long the items of a dead one are away.
std::int64_t visibility_s(const Settings& settings) {
  const base::Duration time = std::clamp(settings.timeout, kLeastVisibility, kMostVisibility);
  return std::chrono::ceil<std::chrono::seconds>(time).count();
}

std::string queue_policy(const ResourceNames& names, const Owner& owner) {
  return fmt::format(
      R"({{"Version":"2012-10-17","Statement":[{{"Sid":"stoker-pipeline","Effect":"Allow",)"
      R"("Principal":{{"Service":"s3.amazonaws.com"}},"Action":"sqs:SendMessage","Resource":"{}",)"
      R"("Condition":{{"ArnEquals":{{"aws:SourceArn":"{}"}},"StringEquals":{{"aws:SourceAccount":"{}"}}}}}}]}})",
      names.queue_arn, names.bucket_arn, owner.account);
}

void describe_queues(const Settings& settings, const Owner& owner, Desired& desired) {
  const ResourceNames& names = desired.names;
  const std::string retention = std::to_string(kMessageRetentionS);
  desired.failed_queue_attributes = {{"MessageRetentionPeriod", retention}};
  desired.queue_attributes = {
      {"MessageRetentionPeriod", retention},
      {"VisibilityTimeout", std::to_string(visibility_s(settings))},
      {"RedrivePolicy", fmt::format(R"({{"deadLetterTargetArn":"{}","maxReceiveCount":{}}})", names.failed_queue_arn,
                                    settings.retries + 1 + kUncountedReceives)},
      {"Policy", queue_policy(names, owner)}};
}

shapes::s3::LifecycleRule expiry_rule(const std::string& id, const std::string& prefix, int days) {
  shapes::s3::LifecycleRule rule;
  rule.ID = id;
  rule.Filter = shapes::s3::LifecycleRuleFilter{.Prefix = prefix};
  rule.Status = "Enabled";
  rule.Expiration = shapes::s3::LifecycleExpiration{.Days = days};
  return rule;
}

void describe_bucket(const Settings& settings, Desired& desired) {
  desired.notification.Id = kNotificationId;
  desired.notification.QueueArn = desired.names.queue_arn;
  desired.notification.Events = {"s3:ObjectCreated:*"};
  shapes::s3::FilterRule prefix{.Name = "Prefix", .Value = kInputs};
  desired.notification.Filter =
      shapes::s3::NotificationConfigurationFilter{.Key = shapes::s3::S3KeyFilter{.FilterRules = {{std::move(prefix)}}}};
  if (settings.retention_days == 0) return;
  desired.lifecycle = {expiry_rule("stoker-inputs", kInputs, settings.retention_days),
                       expiry_rule("stoker-results", kResults, settings.retention_days),
                       expiry_rule("stoker-errors", kErrors, settings.retention_days)};
}

std::vector<std::string> worker_flags(const Settings& settings, const ResourceNames& names) {
  std::vector<std::string> flags{"--queue",  names.queue,
                                 "--pipeline", settings.name,
                                 "--batch",  std::to_string(settings.batch),
                                 "--linger", flag_text(settings.linger),
                                 "--timeout", flag_text(settings.timeout),
                                 // A worker that is stopped finishes what it has begun.
                                 "--drain",  flag_text(settings.timeout)};
  auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) flags.insert(flags.end(), {flag, value});
  };
  add("--builtin", settings.builtin);
  std::string languages;
  for (const std::string& language : settings.languages) languages += (languages.empty() ? "" : "+") + language;
  add("--languages", languages);
  add("--exec", settings.exec);
  add("--serve", settings.serve);
  return flags;
}

std::optional<std::vector<shapes::ecs::ResourceRequirement>> gpu_requirement(const Settings& settings) {
  shapes::ecs::ResourceRequirement requirement{.type = "GPU"};
  if (settings.gpus > 0) {
    requirement.value = std::to_string(settings.gpus);
  } else if (settings.gpu_memory_mib > 0) {
    shapes::ecs::NvidiaMps share{.memory = settings.gpu_memory_mib};
    requirement.sharingStrategy = shapes::ecs::SharingStrategy{.nvidiaMps = share};
  } else {
    return std::nullopt;
  }
  return {{std::move(requirement)}};
}

shapes::ecs::ContainerDefinition worker_container(const Settings& settings, const ResourceNames& names,
                                                  const Owner& owner) {
  shapes::ecs::ContainerDefinition container;
  container.name = "worker";
  container.image = settings.image.empty() ? kBuiltinImage : settings.image;
  container.essential = true;
  container.cpu = settings.cpu_units;
  if (settings.memory_mib > 0) {
    container.memory = settings.memory_mib;
  } else {
    container.memoryReservation = kReservedMemoryMib;
  }
  // The agent puts the program there, whatever the image contains.
  container.entryPoint = std::vector<std::string>{kWorkerProgram};
  container.command = worker_flags(settings, names);
  container.dockerLabels.emplace();
  container.dockerLabels->emplace(kWorkerLabel, "1");
  container.environment.emplace();
  for (const auto& [name, value] : settings.environment) container.environment->push_back({name, value});
  container.resourceRequirements = gpu_requirement(settings);
  container.stopTimeout = static_cast<std::int32_t>(
      std::chrono::ceil<std::chrono::seconds>(settings.timeout).count() + kStopMarginS);
  shapes::ecs::LogConfiguration log{.logDriver = "awslogs"};
  log.options = {{"awslogs-group", names.log_group},
                 {"awslogs-region", owner.region},
                 {"awslogs-stream-prefix", "worker"}};
  container.logConfiguration = std::move(log);
  return container;
}

void describe_workers(const Settings& settings, const Owner& owner, Desired& desired) {
  const ResourceNames& names = desired.names;
  const shapes::ecs::Tag tag{.key = kPipelineTag, .value = settings.name};
  desired.definition.family = names.family;
  desired.definition.taskRoleArn = names.role_arn;
  desired.definition.containerDefinitions = {worker_container(settings, names, owner)};
  desired.definition.tags = {{tag}};
  if (!settings.builtin.empty() && settings.image.empty()) {
    // Agents with the process driver have this attribute where the program of the processor is installed.
    desired.definition.placementConstraints = {
        {{.type = "memberOf", .expression = "attribute:stoker.builtin." + settings.builtin + " exists"}}};
  }
  desired.service.cluster = settings.cluster;
  desired.service.serviceName = names.service;
  desired.service.desiredCount = desired.paused ? 0 : settings.min;
  shapes::ecs::DeploymentConfiguration deployment;
  // Nobody waits for a particular worker, and a GPU may have to be freed for its successor first.
  deployment.minimumHealthyPercent = 0;
  deployment.maximumPercent = 200;
  desired.service.deploymentConfiguration = deployment;
  desired.service.tags = {{tag}};
  desired.service.propagateTags = "SERVICE";
}

using Step = shapes::application_autoscaling::StepAdjustment;
using PolicyRequest = shapes::application_autoscaling::PutScalingPolicyRequest;

// A policy that sets the number of workers, by steps of the backlog.
PolicyRequest scaling_policy(const ResourceNames& names, const std::string& name, std::vector<Step> steps) {
  shapes::application_autoscaling::StepScalingPolicyConfiguration configuration;
  configuration.AdjustmentType = "ExactCapacity";
  configuration.MetricAggregationType = "Maximum";
  configuration.Cooldown = 0;
  configuration.StepAdjustments = std::move(steps);
  PolicyRequest policy;
  policy.PolicyName = name;
  policy.ServiceNamespace = "ecs";
  policy.ResourceId = names.target;
  policy.ScalableDimension = "ecs:service:DesiredCount";
  policy.PolicyType = "StepScaling";
  policy.StepScalingPolicyConfiguration = std::move(configuration);
  return policy;
}

shapes::cloudwatch::MetricDataQuery queue_metric(const char* id, const char* metric, const std::string& queue,
                                                 int period_s) {
  shapes::cloudwatch::MetricDataQuery query;
  query.Id = id;
  shapes::cloudwatch::MetricStat stat;
  stat.Metric = {"AWS/SQS", metric, {{{"QueueName", queue}}}};
  stat.Period = period_s;
  stat.Stat = "Maximum";
  query.MetricStat = std::move(stat);
  query.ReturnData = false;
  return query;
}

// "backlog": visible and in flight. Its value counts only above `above`, so that the steps of one policy, which are
// relative to the threshold 0, fit the alarms of all backlogs.
std::vector<shapes::cloudwatch::MetricDataQuery> backlog_metrics(const std::string& queue, int period_s,
                                                                 std::int64_t above) {
  std::vector<shapes::cloudwatch::MetricDataQuery> all{
      queue_metric("visible", "ApproximateNumberOfMessagesVisible", queue, period_s),
      queue_metric("inflight", "ApproximateNumberOfMessagesNotVisible", queue, period_s)};
  shapes::cloudwatch::MetricDataQuery backlog;
  backlog.Id = "backlog";
  backlog.Expression = "visible + inflight";
  backlog.ReturnData = above == 0;
  all.push_back(backlog);
  if (above == 0) return all;
  shapes::cloudwatch::MetricDataQuery high;
  high.Id = "high";
  high.Expression = fmt::format("IF(backlog > {}, backlog, 0)", above);
  high.ReturnData = true;
  all.push_back(high);
  return all;
}

DesiredAlarm backlog_alarm(const Settings& settings, const ResourceNames& names, const ScalingTrigger& trigger) {
  DesiredAlarm alarm;
  alarm.input.AlarmName = fmt::format("{}-{}", names.scale_out, trigger.workers);
  alarm.input.AlarmDescription = fmt::format("Pipeline {}: a backlog of more than {} needs {} workers or more.",
                                             settings.name, trigger.above, trigger.workers);
  alarm.input.ActionsEnabled = true;
  alarm.input.EvaluationPeriods = 1;
  alarm.input.Threshold = 0;
  alarm.input.ComparisonOperator = "GreaterThanThreshold";
  alarm.input.TreatMissingData = "ignore";
  alarm.input.Metrics = backlog_metrics(names.queue, 10, trigger.above);
  return alarm;
}

DesiredAlarm idle_alarm(const Settings& settings, const ResourceNames& names, const ScalingPlan& plan) {
  DesiredAlarm alarm{.scales_in = true};
  alarm.input.AlarmName = names.scale_in;
  alarm.input.AlarmDescription = fmt::format("Pipeline {}: without a backlog for {} it needs {} workers.",
                                             settings.name, flag_text(settings.idle), settings.min);
  alarm.input.ActionsEnabled = true;
  alarm.input.EvaluationPeriods = plan.idle_periods;
  alarm.input.Threshold = 0;
  alarm.input.ComparisonOperator = "LessThanOrEqualToThreshold";
  alarm.input.TreatMissingData = "ignore";
  alarm.input.Metrics = backlog_metrics(names.queue, plan.idle_period_s, 0);
  return alarm;
}

void describe_scaling(const Settings& settings, Desired& desired) {
  const ResourceNames& names = desired.names;
  auto& target = desired.target;
  target.ServiceNamespace = "ecs";
  target.ResourceId = names.target;
  target.ScalableDimension = "ecs:service:DesiredCount";
  target.MinCapacity = desired.paused ? 0 : settings.min;
  target.MaxCapacity = settings.max;
  target.SuspendedState = shapes::application_autoscaling::SuspendedState{
      .DynamicScalingInSuspended = desired.paused, .DynamicScalingOutSuspended = desired.paused};
  desired.scaling = plan_scaling({settings.min, settings.max, settings.items_per_task, settings.idle});
  const ScalingPlan& plan = desired.scaling;
  if (plan.steps.empty()) return;
  std::vector<Step> steps;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    Step step;
    step.MetricIntervalLowerBound = static_cast<double>(plan.steps[i].from);
    if (i + 1 < plan.steps.size()) step.MetricIntervalUpperBound = static_cast<double>(plan.steps[i + 1].from);
    step.ScalingAdjustment = plan.steps[i].workers;
    steps.push_back(step);
  }
  desired.policies.push_back(scaling_policy(names, names.scale_out, std::move(steps)));
  Step idle;
  idle.MetricIntervalUpperBound = 0;
  idle.ScalingAdjustment = settings.min;
  desired.policies.push_back(scaling_policy(names, names.scale_in, {idle}));
  for (const ScalingTrigger& trigger : plan.triggers) {
    desired.alarms.push_back(backlog_alarm(settings, names, trigger));
  }
  desired.alarms.push_back(idle_alarm(settings, names, plan));
}

}  // namespace

ResourceNames resource_names(const Settings& settings, const Owner& owner) {
  ResourceNames names;
  const std::string base = "stoker-" + settings.name;
  names.bucket = settings.bucket.empty() ? base + "-" + owner.account : settings.bucket;
  names.queue = names.family = names.service = base;
  names.failed_queue = base + "-failed";
  names.log_group = "/stoker/pipelines/" + settings.name;
  names.scale_out = base + "-scale-out";
  names.scale_in = base + "-scale-in";
  names.bucket_arn = "arn:aws:s3:::" + names.bucket;
  names.queue_arn = fmt::format("arn:aws:sqs:{}:{}:{}", owner.region, owner.account, names.queue);
  names.failed_queue_arn = fmt::format("arn:aws:sqs:{}:{}:{}", owner.region, owner.account, names.failed_queue);
  names.role_arn = fmt::format("arn:aws:iam::{}:role/stoker-pipeline-{}", owner.account, settings.name);
  names.target = fmt::format("service/{}/{}", settings.cluster, names.service);
  return names;
}

Desired desired_resources(const Settings& settings, const Owner& owner, bool paused) {
  Desired desired;
  desired.paused = paused;
  desired.names = resource_names(settings, owner);
  describe_queues(settings, owner, desired);
  describe_bucket(settings, desired);
  for (int days : kLogRetentions) {
    if (settings.retention_days > 0 && desired.log_retention_days == 0 && days >= settings.retention_days) {
      desired.log_retention_days = days;
    }
  }
  describe_workers(settings, owner, desired);
  describe_scaling(settings, desired);
  return desired;
}

}  // namespace services::pipelines
