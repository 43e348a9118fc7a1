// SPDX-License-Identifier: Apache-2.0
#include "cli/scaling_client.h"

#include <algorithm>
#include <stdexcept>

#include "cli/profile.h"
#include "shapes/application_autoscaling/errors.h"
#include "shapes/autoscaling/errors.h"
#include "shapes/cloudwatch/errors.h"
#include "shapes/cloudwatch/metric_query.h"

namespace cli {
namespace {

namespace groups_api = shapes::autoscaling;
namespace services_api = shapes::application_autoscaling;
namespace alarms_api = shapes::cloudwatch;

// The most records a page that each of these operations accepts.
constexpr std::int32_t kScalingPage = 100;
constexpr std::int32_t kServiceScalingPage = 50;
constexpr std::int32_t kDefaultPeriodSeconds = 60;
// One more than the alarm evaluates: the last period is not over yet.
constexpr std::int32_t kMorePeriods = 1;

constexpr wire::Service kAutoScaling{.name = "autoscaling",
                                     .target_prefix = "AutoScaling_2011_01_01",
                                     .api_version = "2011-01-01",
                                     .errors = groups_api::kErrors};
constexpr wire::Service kApplicationAutoScaling{.name = "application-autoscaling",
                                                .target_prefix = "AnyScaleFrontendService",
                                                .api_version = "2016-02-06",
                                                .errors = services_api::kErrors};
constexpr wire::Service kCloudWatch{.name = "cloudwatch",
                                    .target_prefix = "GraniteServiceVersion20100801",
                                    .api_version = "2010-08-01",
                                    .errors = alarms_api::kErrors};

const client::Target kGroups{kAutoScaling, "autoscaling", wire::Protocol::Json11};
const client::Target kServices{kApplicationAutoScaling, "application-autoscaling", wire::Protocol::Json11};
const client::Target kAlarms{kCloudWatch, "monitoring", wire::Protocol::Json10};

// What the alarm evaluates, as queries.
std::vector<alarms_api::MetricDataQuery> queries_of(const alarms_api::MetricAlarm& alarm) {
  if (alarm.Metrics && !alarm.Metrics->empty()) return *alarm.Metrics;
  alarms_api::MetricDataQuery query;
  query.Id = "m1";
  query.MetricStat.emplace();
  query.MetricStat->Metric.Namespace = alarm.Namespace;
  query.MetricStat->Metric.MetricName = alarm.MetricName;
  query.MetricStat->Metric.Dimensions = alarm.Dimensions;
  query.MetricStat->Period = alarm.Period.value_or(kDefaultPeriodSeconds);
  query.MetricStat->Stat = alarm.Statistic.value_or(alarm.ExtendedStatistic.value_or("Average"));
  query.MetricStat->Unit = alarm.Unit;
  return {query};
}

template <class T>
void append_to(std::vector<T>& all, std::vector<T> page) {
  std::move(page.begin(), page.end(), std::back_inserter(all));
}

}  // namespace

ScalingClient::ScalingClient(const Options& options) : client_(read_profile(options)) {}

std::vector<groups_api::AutoScalingGroup> ScalingClient::groups() {
  std::vector<groups_api::AutoScalingGroup> all;
  groups_api::AutoScalingGroupNamesType request;
  request.MaxRecords = kScalingPage;
  do {
    auto page = client_.call<groups_api::AutoScalingGroupsType>(kGroups, "DescribeAutoScalingGroups", request);
    append_to(all, std::move(page.AutoScalingGroups));
    request.NextToken = page.NextToken;
  } while (request.NextToken);
  std::ranges::sort(all, {}, &groups_api::AutoScalingGroup::AutoScalingGroupName);
  return all;
}

groups_api::AutoScalingGroup ScalingClient::find_group(const std::string& name) {
  groups_api::AutoScalingGroupNamesType request;
  request.AutoScalingGroupNames = {name};
  auto page = client_.call<groups_api::AutoScalingGroupsType>(kGroups, "DescribeAutoScalingGroups", request);
  if (page.AutoScalingGroups.empty()) throw std::runtime_error("no such group: " + name);
  return std::move(page.AutoScalingGroups.front());
}

shapes::stoker::StokerListGroupWaitsResponse ScalingClient::group_waits(const std::string& name) {
  const shapes::stoker::StokerListGroupWaitsRequest request{name};
  return client_.call<shapes::stoker::StokerListGroupWaitsResponse>(kGroups, "StokerListGroupWaits", request);
}

void ScalingClient::update_group(const groups_api::UpdateAutoScalingGroupType& request) {
  client_.call(kGroups, "UpdateAutoScalingGroup", request);
}

std::vector<groups_api::Activity> ScalingClient::group_activities(const std::string& group, std::size_t most) {
  std::vector<groups_api::Activity> all;
  groups_api::DescribeScalingActivitiesType request;
  if (!group.empty()) request.AutoScalingGroupName = group;
  request.MaxRecords = static_cast<std::int32_t>(std::min<std::size_t>(most, kScalingPage));
  do {
    auto page = client_.call<groups_api::ActivitiesType>(kGroups, "DescribeScalingActivities", request);
    append_to(all, std::move(page.Activities));
    request.NextToken = page.NextToken;
  } while (request.NextToken && all.size() < most);
  return all;
}

std::vector<groups_api::ScalingPolicy> ScalingClient::group_policies(const std::string& group,
                                                                     const std::string& policy) {
  std::vector<groups_api::ScalingPolicy> all;
  groups_api::DescribePoliciesType request;
  if (!group.empty()) request.AutoScalingGroupName = group;
  if (!policy.empty()) request.PolicyNames = {policy};
  request.MaxRecords = kScalingPage;
  do {
    auto page = client_.call<groups_api::PoliciesType>(kGroups, "DescribePolicies", request);
    append_to(all, page.ScalingPolicies.value_or(std::vector<groups_api::ScalingPolicy>()));
    request.NextToken = page.NextToken;
  } while (request.NextToken);
  return all;
}

std::vector<services_api::ScalingActivity> ScalingClient::service_activities(const std::string& resource,
                                                                             std::size_t most) {
  std::vector<services_api::ScalingActivity> all;
  services_api::DescribeScalingActivitiesRequest request;
  request.ServiceNamespace = "ecs";
  if (!resource.empty()) request.ResourceId = resource;
  request.MaxResults = static_cast<std::int32_t>(std::min<std::size_t>(most, kServiceScalingPage));
  do {
    auto page =
        client_.call<services_api::DescribeScalingActivitiesResponse>(kServices, "DescribeScalingActivities", request);
    append_to(all, page.ScalingActivities.value_or(std::vector<services_api::ScalingActivity>()));
    request.NextToken = page.NextToken;
  } while (request.NextToken && all.size() < most);
  return all;
}

std::vector<services_api::ScalingPolicy> ScalingClient::service_policies(const std::string& policy) {
  std::vector<services_api::ScalingPolicy> all;
  services_api::DescribeScalingPoliciesRequest request;
  request.ServiceNamespace = "ecs";
  if (!policy.empty()) request.PolicyNames = {policy};
  request.MaxResults = kServiceScalingPage;
  do {
    auto page =
        client_.call<services_api::DescribeScalingPoliciesResponse>(kServices, "DescribeScalingPolicies", request);
    append_to(all, page.ScalingPolicies.value_or(std::vector<services_api::ScalingPolicy>()));
    request.NextToken = page.NextToken;
  } while (request.NextToken);
  return all;
}

std::optional<services_api::ScalableTarget> ScalingClient::find_target(const std::string& resource) {
  services_api::DescribeScalableTargetsRequest request;
  request.ServiceNamespace = "ecs";
  request.ResourceIds = {resource};
  auto page =
      client_.call<services_api::DescribeScalableTargetsResponse>(kServices, "DescribeScalableTargets", request);
  if (!page.ScalableTargets || page.ScalableTargets->empty()) return std::nullopt;
  return std::move(page.ScalableTargets->front());
}

std::vector<alarms_api::MetricAlarm> ScalingClient::alarms(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::vector<alarms_api::MetricAlarm> all;
  alarms_api::DescribeAlarmsInput request;
  request.AlarmNames = names;
  request.MaxRecords = kScalingPage;
  do {
    auto page = client_.call<alarms_api::DescribeAlarmsOutput>(kAlarms, "DescribeAlarms", request);
    append_to(all, page.MetricAlarms.value_or(std::vector<alarms_api::MetricAlarm>()));
    request.NextToken = page.NextToken;
  } while (request.NextToken);
  return all;
}

std::vector<alarms_api::AlarmHistoryItem> ScalingClient::state_changes(const std::string& alarm) {
  alarms_api::DescribeAlarmHistoryInput request;
  request.AlarmName = alarm;
  request.HistoryItemType = "StateUpdate";
  request.MaxRecords = kScalingPage;
  auto page = client_.call<alarms_api::DescribeAlarmHistoryOutput>(kAlarms, "DescribeAlarmHistory", request);
  return page.AlarmHistoryItems.value_or(std::vector<alarms_api::AlarmHistoryItem>());
}

std::optional<double> ScalingClient::last_value(const alarms_api::MetricAlarm& alarm, base::Time now) {
  alarms_api::GetMetricDataInput request;
  request.MetricDataQueries = queries_of(alarm);
  const std::int32_t period = alarm.Period.value_or(kDefaultPeriodSeconds);
  request.StartTime = now - std::chrono::seconds(period) * (alarm.EvaluationPeriods.value_or(1) + kMorePeriods);
  request.EndTime = now;
  request.ScanBy = "TimestampDescending";
  const auto page = client_.call<alarms_api::GetMetricDataOutput>(kAlarms, "GetMetricData", request);
  if (!page.MetricDataResults || page.MetricDataResults->empty()) return std::nullopt;
  const auto& values = page.MetricDataResults->front().Values;
  return values && !values->empty() ? std::optional<double>(values->front()) : std::nullopt;
}

}  // namespace cli
