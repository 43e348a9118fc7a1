// SPDX-License-Identifier: Apache-2.0
#include "services/application_autoscaling/module.h"

#include "services/application_autoscaling/errors.h"
#include "services/application_autoscaling/operations.h"
#include "services/application_autoscaling/scalable_target.h"
#include "shapes/application_autoscaling/errors.h"

namespace services::application_autoscaling {
namespace {

constexpr std::size_t kBodyLimit = 1u << 20;

std::vector<Operation> all_operations() {
  std::vector<Operation> all;
  for (auto rows : {target_operations(), policy_operations(), schedule_operations(), activity_operations(),
                    tag_operations(), unsupported_operations()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

Service make_service() {
  Service scaling;
  scaling.wire = {.name = "application-autoscaling",
                  .target_prefix = "AnyScaleFrontendService",
                  .api_version = "2016-02-06",
                  .errors = shapes::application_autoscaling::kErrors};
  scaling.signing_name = "application-autoscaling";
  scaling.protocols = {wire::Protocol::Json11};
  scaling.body_limit = kBodyLimit;
  scaling.operations = all_operations();
  scaling.violation_error = &violation_error;
  return scaling;
}

std::vector<Gauge> target_gauges(Call& call) {
  const auto targets = call.tx.query("SELECT count(*) FROM scalable_targets").integer();
  return {{.name = "stoker_scalable_targets",
           .help = "Scalable targets of Application Auto Scaling.",
           .value = static_cast<double>(targets)}};
}

}  // namespace

Module module(const Options&) {
  Module scaling;
  scaling.service = make_service();
  scaling.internal_operations = alarm_action_operations();
  scaling.migrations = migrations();
  scaling.loops = {schedule_loop(), activity_loop()};
  scaling.gauges = &target_gauges;
  scaling.measure = &measure_tasks;
  return scaling;
}

}  // namespace services::application_autoscaling
