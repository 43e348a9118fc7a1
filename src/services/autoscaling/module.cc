// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/module.h"

#include "services/autoscaling/errors.h"
#include "services/autoscaling/groups/group.h"
#include "services/autoscaling/groups/observers.h"
#include "services/autoscaling/groups/operations.h"
#include "services/autoscaling/policies/policies.h"
#include "services/autoscaling/unsupported.h"
#include "services/tracking_period.h"
#include "shapes/autoscaling/errors.h"

namespace services::autoscaling {
namespace {

constexpr std::size_t kBodyLimit = 1u << 20;

std::vector<Operation> all_operations() {
  std::vector<Operation> all;
  for (auto rows :
       {group_operations(), group_size_operations(), group_list_operations(), group_type_operations(),
        instance_operations(), instance_state_operations(), hook_operations(), activity_operations(), tag_operations(),
        launch_configuration_operations(), metric_operations(), group_wait_operations(), policies_operations(),
        unsupported_operations()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

Service make_service() {
  Service autoscaling;
  autoscaling.wire = {.name = "autoscaling",
                      .target_prefix = "AutoScaling_2011_01_01",
                      .api_version = "2011-01-01",
                      .xml_namespace = "http://autoscaling.amazonaws.com/doc/2011-01-01/",
                      .errors = shapes::autoscaling::kErrors};
  autoscaling.signing_name = "autoscaling";
  // Amazon's clients speak query; our command line speaks JSON.
  autoscaling.protocols = {wire::Protocol::Query, wire::Protocol::Json11};
  autoscaling.body_limit = kBodyLimit;
  autoscaling.operations = all_operations();
  autoscaling.violation_error = &violation_error;
  return autoscaling;
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::vector<Gauge> group_gauges(Call& call) {
  const auto groups = call.tx.query("SELECT count(*) FROM autoscaling_groups").integer();
  const auto instances = call.tx.query("SELECT count(*) FROM autoscaling_instances").integer();
  return {{.name = "stoker_autoscaling_groups", .help = "Auto Scaling groups.", .value = static_cast<double>(groups)},
          {.name = "stoker_autoscaling_instances",
           .help = "Instances of Auto Scaling groups.",
           .value = static_cast<double>(instances)}};
}

}  // namespace

Module module(const Options& options) {
  Module autoscaling;
  autoscaling.service = make_service();
  autoscaling.internal_operations = group_internal_operations();
  append(autoscaling.internal_operations, policies_internal_operations());
  autoscaling.migrations = {"autoscaling", group_migration_steps()};
  append(autoscaling.migrations.steps, policies_migration_steps());
  append(autoscaling.migrations.steps, instance_weight_steps());
  autoscaling.add_memory = [period = options.tracking_period](Locals& locals) {
    observe_groups(locals.add<GroupObservers>());
    locals.add<TrackingPeriod>(period);
  };
  autoscaling.loops = {group_loop()};
  append(autoscaling.loops, policies_loops());
  autoscaling.gauges = &group_gauges;
  autoscaling.measure = &measure_groups;
  return autoscaling;
}

}  // namespace services::autoscaling
