// SPDX-License-Identifier: Apache-2.0
// The resources that a pipeline consists of, as requests of the services that own them. A pure function of the spec.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "services/pipelines/definitions/scaling_plan.h"
#include "services/pipelines/definitions/settings.h"
#include "shapes/application_autoscaling/policy.h"
#include "shapes/application_autoscaling/scalable_target.h"
#include "shapes/cloudwatch/alarm.h"
#include "shapes/ecs/service.h"
#include "shapes/ecs/task_definition.h"
#include "shapes/s3/lifecycle.h"
#include "shapes/s3/notification.h"

namespace services::pipelines {

inline constexpr char kPipelineTag[] = "stoker:pipeline";
// Entries of the bucket's configurations with these ids are the pipeline's; all others are left alone.
inline constexpr char kNotificationId[] = "stoker-pipeline";
inline constexpr char kLifecycleIds[] = "stoker-";

// Where a pipeline lives.
struct Owner {
  std::string account, region;
};

// Names follow from the pipeline's name alone.
struct ResourceNames {
  std::string bucket, queue, failed_queue, family, service, log_group, scale_out, scale_in;
  std::string bucket_arn, queue_arn, failed_queue_arn, role_arn;
  std::string target;  // "service/<cluster>/<service>"
};
ResourceNames resource_names(const Settings& settings, const Owner& owner);

struct DesiredAlarm {
  shapes::cloudwatch::PutMetricAlarmInput input;  // without its action
  bool scales_in = false;                         // the policy that it runs
};

struct Desired {
  ResourceNames names;
  std::map<std::string, std::string> queue_attributes, failed_queue_attributes;
  shapes::s3::QueueConfiguration notification;
  std::vector<shapes::s3::LifecycleRule> lifecycle;  // empty: nothing expires
  int log_retention_days = 0;                        // 0: for ever
  shapes::ecs::RegisterTaskDefinitionRequest definition;
  shapes::ecs::CreateServiceRequest service;  // without its task definition
  shapes::application_autoscaling::RegisterScalableTargetRequest target;
  std::vector<shapes::application_autoscaling::PutScalingPolicyRequest> policies;
  std::vector<DesiredAlarm> alarms;
  ScalingPlan scaling;
  bool paused = false;
};

Desired desired_resources(const Settings& settings, const Owner& owner, bool paused);

}  // namespace services::pipelines
