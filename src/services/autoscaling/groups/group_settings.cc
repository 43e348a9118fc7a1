// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/groups/group_settings.h"

#include <algorithm>
#include <set>

#include "services/autoscaling/errors.h"
#include "services/autoscaling/groups/launch_configuration.h"
#include "services/autoscaling/groups/launch_source.h"
#include "services/autoscaling/groups/weights.h"

namespace services::autoscaling {
namespace {

using shapes::autoscaling::CreateAutoScalingGroupType;
using shapes::autoscaling::LaunchTemplateOverrides;
using shapes::autoscaling::MixedInstancesPolicy;
using shapes::autoscaling::UpdateAutoScalingGroupType;

constexpr std::int32_t kMinLifetime = 86400, kMaxLifetime = 31536000;
constexpr std::size_t kMaxOverrides = 40;

template <class T>
bool has_elements(const std::optional<std::vector<T>>& list) {
  return list && !list->empty();
}

void reject_creation_members(const CreateAutoScalingGroupType& request) {
  if (has_elements(request.LoadBalancerNames)) throw unsupported("LoadBalancerNames");
  if (has_elements(request.TargetGroupARNs)) throw unsupported("TargetGroupARNs");
  if (has_elements(request.TrafficSources)) throw unsupported("TrafficSources");
}

// "EC2", or a list of others ("ELB,EBS"), beside which EC2's checks are made in any case.
void check_health_check_type(const std::string& types) {
  if (types == "EC2") return;
  constexpr std::string_view kOthers[] = {"ELB", "VPC_LATTICE", "EBS"};
  for (std::size_t begin = 0; begin <= types.size();) {
    const std::size_t end = std::min(types.find(',', begin), types.size());
    const std::string type = types.substr(begin, end - begin);
    if (type == "EC2") throw validation_error("Specifying EC2 in addition to other health check types is not supported");
    if (std::find(std::begin(kOthers), std::end(kOthers), type) == std::end(kOthers)) {
      throw validation_error("Invalid health check type: '" + type + "'. Valid types are: EC2, ELB, VPC_LATTICE, EBS");
    }
    begin = end + 1;
  }
}

// Values that mean "as if it was absent" pass.
template <class Request>
void reject_unsupported_members(const Request& request) {
  if (request.HealthCheckType) check_health_check_type(*request.HealthCheckType);
  if (request.PlacementGroup && !request.PlacementGroup->empty()) throw unsupported("PlacementGroup");
  if (request.DesiredCapacityType && *request.DesiredCapacityType != "units") {
    throw unsupported("the DesiredCapacityType " + *request.DesiredCapacityType);
  }
  if (request.CapacityRebalance == true) throw unsupported("CapacityRebalance: there are no Spot Instances");
  if (request.InstanceMaintenancePolicy) {
    const auto& policy = *request.InstanceMaintenancePolicy;
    const bool clears =
        policy.MinHealthyPercentage.value_or(-1) == -1 && policy.MaxHealthyPercentage.value_or(-1) == -1;
    if (!clears) throw unsupported("InstanceMaintenancePolicy");
  }
  if (request.AvailabilityZoneDistribution &&
      request.AvailabilityZoneDistribution->CapacityDistributionStrategy == "balanced-only") {
    throw unsupported("the CapacityDistributionStrategy balanced-only");
  }
  if (request.AvailabilityZoneImpairmentPolicy && request.AvailabilityZoneImpairmentPolicy->ZonalShiftEnabled == true) {
    throw unsupported("AvailabilityZoneImpairmentPolicy");
  }
  if (request.CapacityReservationSpecification) {
    const auto& reservations = *request.CapacityReservationSpecification;
    const bool is_default = reservations.CapacityReservationPreference.value_or("default") == "default";
    if (!is_default || reservations.CapacityReservationTarget) throw unsupported("CapacityReservationSpecification");
  }
  if (request.InstanceLifecyclePolicy && request.InstanceLifecyclePolicy->RetentionTriggers &&
      request.InstanceLifecyclePolicy->RetentionTriggers->TerminateHookAbandon == "retain") {
    throw unsupported("the TerminateHookAbandon retain");
  }
}

void check_overrides(const std::vector<LaunchTemplateOverrides>& overrides) {
  if (overrides.size() > kMaxOverrides) {
    throw validation_error("The number of LaunchTemplateOverrides must be fewer than 40");
  }
  std::set<std::string> types;
  for (const LaunchTemplateOverrides& one : overrides) {
    if (one.InstanceRequirements) throw unsupported("InstanceRequirements");
    if (one.WeightedCapacity && !parse_weight(*one.WeightedCapacity)) {
      throw validation_error("WeightedCapacity must be a whole number between 1 and 999: '" + *one.WeightedCapacity + "'");
    }
    if (one.WeightedCapacity.has_value() != overrides.front().WeightedCapacity.has_value()) {
      throw validation_error("WeightedCapacity must be specified for all overrides or for none");
    }
    if (one.InstanceType && !types.insert(*one.InstanceType).second) {
      throw validation_error("Cannot add same instance type override more than once");
    }
  }
}

// Everything is On-Demand here.
void check_distribution(const shapes::autoscaling::InstancesDistribution& distribution) {
  if (distribution.OnDemandPercentageAboveBaseCapacity.value_or(100) != 100) {
    throw unsupported("OnDemandPercentageAboveBaseCapacity below 100: there are no Spot Instances");
  }
  if (distribution.OnDemandAllocationStrategy.value_or("prioritized") != "prioritized") {
    throw unsupported("the OnDemandAllocationStrategy " + *distribution.OnDemandAllocationStrategy);
  }
  if (distribution.SpotInstancePools) throw unsupported("SpotInstancePools: there are no Spot Instances");
  if (distribution.SpotMaxPrice && !distribution.SpotMaxPrice->empty()) {
    throw unsupported("SpotMaxPrice: there are no Spot Instances");
  }
}

MixedInstancesPolicy complete_mixed(Call& call, const Group& group, MixedInstancesPolicy policy) {
  if (!policy.LaunchTemplate || !policy.LaunchTemplate->LaunchTemplateSpecification) {
    throw validation_error("Valid requests must contain either launchTemplateId or LaunchTemplateName");
  }
  auto& launch = *policy.LaunchTemplate;
  launch.LaunchTemplateSpecification = complete_template(call, group, *launch.LaunchTemplateSpecification);
  if (launch.Overrides) {
    check_overrides(*launch.Overrides);
    for (LaunchTemplateOverrides& one : *launch.Overrides) {
      if (!one.LaunchTemplateSpecification) continue;
      one.LaunchTemplateSpecification = complete_template(call, group, *one.LaunchTemplateSpecification);
    }
  }
  if (!policy.InstancesDistribution) policy.InstancesDistribution.emplace();
  auto& distribution = *policy.InstancesDistribution;
  check_distribution(distribution);
  distribution.OnDemandAllocationStrategy = "prioritized";
  distribution.OnDemandBaseCapacity = distribution.OnDemandBaseCapacity.value_or(0);
  distribution.OnDemandPercentageAboveBaseCapacity = 100;
  return policy;
}

template <class Request>
void set_launch_source(Call& call, Group& group, const Request& request) {
  const int sources = (request.LaunchConfigurationName ? 1 : 0) + (request.LaunchTemplate ? 1 : 0) +
                      (request.MixedInstancesPolicy ? 1 : 0);
  if (sources == 0) return;
  if (sources > 1) {
    throw validation_error(
        "Valid requests must contain either LaunchTemplate, LaunchConfigurationName, InstanceId or "
        "MixedInstancesPolicy parameter.");
  }
  GroupSettings& settings = group.settings;
  settings.launch_configuration.reset();
  settings.launch_template.reset();
  settings.mixed_instances.reset();
  if (request.LaunchConfigurationName) {
    find_launch_configuration(call, *request.LaunchConfigurationName);
    settings.launch_configuration = request.LaunchConfigurationName;
  } else if (request.LaunchTemplate) {
    settings.launch_template = complete_template(call, group, *request.LaunchTemplate);
  } else {
    settings.mixed_instances = complete_mixed(call, group, *request.MixedInstancesPolicy);
  }
}

template <class Request>
void set_zones(Call& call, Group& group, const Request& request) {
  const auto names = request.AvailabilityZones.value_or(std::vector<std::string>());
  const auto ids = request.AvailabilityZoneIds.value_or(std::vector<std::string>());
  const bool has_subnets = request.VPCZoneIdentifier && !request.VPCZoneIdentifier->empty();
  if (names.empty() && ids.empty() && !has_subnets) return;
  if (!names.empty() && !ids.empty()) {
    throw validation_error("You must specify 1 of either AvailabilityZones, AvailabilityZoneIds, or Subnets");
  }
  const std::vector<std::string> zones = find_zones(call, group, names, ids);
  if (!has_subnets) {
    group.settings.zones = zones;
    group.settings.subnets.clear();
    return;
  }
  group.settings.subnets = find_subnets(call, group, *request.VPCZoneIdentifier);
  std::set<std::string> of_subnets;
  for (const GroupSubnet& subnet : group.settings.subnets) of_subnets.insert(subnet.zone);
  if (!zones.empty() && std::set<std::string>(zones.begin(), zones.end()) != of_subnets) {
    throw validation_error("The availability zones of the specified subnets and the Auto Scaling group do not match");
  }
  group.settings.zones.assign(of_subnets.begin(), of_subnets.end());
}

void set_termination_policies(Group& group, const std::vector<std::string>& policies) {
  const std::vector<std::string> known = termination_policy_types();
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (policies[i].starts_with("arn:")) throw unsupported("a Lambda function as termination policy");
    if (std::find(known.begin(), known.end(), policies[i]) == known.end()) {
      throw validation_error("Invalid termination policy: " + policies[i]);
    }
    if (policies[i] == "Default" && i + 1 < policies.size()) {
      throw validation_error("The termination policy Default must be the last one of the list");
    }
  }
  group.settings.termination_policies = policies.empty() ? std::vector<std::string>{"Default"} : policies;
}

template <class Request>
void set_times(GroupSettings& settings, const Request& request) {
  if (request.DefaultCooldown) {
    if (*request.DefaultCooldown < 0) throw validation_error("DefaultCooldown must not be negative");
    settings.cooldown_s = *request.DefaultCooldown;
  }
  if (request.HealthCheckGracePeriod) {
    if (*request.HealthCheckGracePeriod < 0) throw validation_error("HealthCheckGracePeriod must not be negative");
    settings.grace_period_s = *request.HealthCheckGracePeriod;
  }
  if (request.MaxInstanceLifetime) {
    const std::int32_t lifetime = *request.MaxInstanceLifetime;
    if (lifetime != 0 && (lifetime < kMinLifetime || lifetime > kMaxLifetime)) {
      throw validation_error("maxInstanceLifetime must be between 86400 and 31536000 seconds (inclusive)");
    }
    settings.max_lifetime_s = lifetime;
  }
  if (request.DefaultInstanceWarmup) {
    if (*request.DefaultInstanceWarmup < -1) throw validation_error("DefaultInstanceWarmup must not be negative");
    settings.warmup_s.reset();
    if (*request.DefaultInstanceWarmup >= 0) settings.warmup_s = request.DefaultInstanceWarmup;
  }
}

template <class Request>
void set_shared_settings(Call& call, Group& group, const Request& request) {
  reject_unsupported_members(request);
  set_launch_source(call, group, request);
  set_zones(call, group, request);
  set_times(group.settings, request);
  if (request.TerminationPolicies) set_termination_policies(group, *request.TerminationPolicies);
  if (request.NewInstancesProtectedFromScaleIn) {
    group.settings.protects_new_instances = *request.NewInstancesProtectedFromScaleIn;
  }
  if (request.HealthCheckType) group.settings.health_check_type = *request.HealthCheckType;
  if (request.DeletionProtection) group.settings.deletion_protection = *request.DeletionProtection;
  if (request.Context) group.settings.context = request.Context;
  if (request.ServiceLinkedRoleARN) group.settings.service_linked_role = request.ServiceLinkedRoleARN;
}

}  // namespace

void set_settings(Call& call, Group& group, const CreateAutoScalingGroupType& given) {
  CreateAutoScalingGroupType request = given;
  reject_creation_members(request);
  // As at Amazon: it gets a launch configuration of its own name.
  if (request.InstanceId && !request.LaunchConfigurationName && !request.LaunchTemplate && !request.MixedInstancesPolicy) {
    create_configuration_of(call, group.name, *request.InstanceId);
    request.LaunchConfigurationName = group.name;
  } else if (request.InstanceId) {
    throw validation_error(
        "Valid requests must contain either LaunchTemplate, LaunchConfigurationName, InstanceId or "
        "MixedInstancesPolicy parameter.");
  }
  group.settings.termination_policies = {"Default"};
  set_shared_settings(call, group, request);
  const GroupSettings& settings = group.settings;
  if (!settings.launch_configuration && !settings.launch_template && !settings.mixed_instances) {
    throw validation_error(
        "Valid requests must contain either LaunchTemplate, LaunchConfigurationName, InstanceId or "
        "MixedInstancesPolicy parameter.");
  }
  if (settings.zones.empty()) {
    throw validation_error("You must specify 1 of either AvailabilityZones, AvailabilityZoneIds, or Subnets");
  }
}

void set_settings(Call& call, Group& group, const UpdateAutoScalingGroupType& request) {
  set_shared_settings(call, group, request);
}

std::vector<std::string> termination_policy_types() {
  return {"AllocationStrategy",        "ClosestToNextInstanceHour", "Default", "NewestInstance", "OldestInstance",
          "OldestLaunchConfiguration", "OldestLaunchTemplate"};
}

}  // namespace services::autoscaling
