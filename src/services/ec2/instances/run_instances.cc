// SPDX-License-Identifier: Apache-2.0
// RunInstances: rows in the state pending, for which a provider then starts machines.
#include <algorithm>

#include "base/bytes.h"
#include "base/hash.h"
#include "services/ec2/errors.h"
#include "services/ec2/identifiers.h"
#include "services/ec2/instances/instance_body.h"
#include "services/ec2/instances/launch_checks.h"
#include "services/ec2/instances/launch_network.h"
#include "services/ec2/instances/state_changes.h"
#include "services/ec2/operations.h"
#include "services/ec2/resource_tags.h"
#include "services/ec2/templates/template_data.h"
#include "services/ec2/user_data.h"
#include "services/shape_json.h"
#include "shapes/stoker/machine.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;
using wire::ApiError;

constexpr std::int32_t kMaxLaunch = 1000;
constexpr std::size_t kMaxTokenLength = 64;

// A launch, checked: what its instances have in common.
struct Launch {
  std::string type, zone, group;
  std::string reservation;
  InstanceBody body;
  Tags tags;
  std::string agent_json;
};

void check_counts(const RunInstancesRequest& request) {
  const auto invalid = [](const char* name, std::int32_t value, const char* expected) {
    return invalid_value("Value (" + std::to_string(value) + ") for parameter " + name + " is invalid. " + expected);
  };
  if (request.MinCount < 1) throw invalid("minCount", request.MinCount, "Expecting a value greater than 0.");
  if (request.MaxCount < request.MinCount) {
    throw invalid("maxCount", request.MaxCount, "Expecting a value of at least minCount.");
  }
  if (request.MinCount > kMaxLaunch) {
    throw ApiError("InstanceLimitExceeded", "You have requested more instances (" + std::to_string(request.MinCount) +
                                                ") than a single request may launch (1000).");
  }
}

std::string iam_profile_arn(const Call& call, const IamInstanceProfileSpecification& profile) {
  if (profile.Arn && profile.Name) {
    throw invalid_combination("The parameter 'iamInstanceProfile.name' may not be used in combination with "
                              "'iamInstanceProfile.arn'");
  }
  if (profile.Arn) return *profile.Arn;
  return "arn:aws:iam::" + call.caller.account + ":instance-profile/" + profile.Name.value_or("");
}

InstanceMetadataOptionsResponse metadata_options(const RunInstancesRequest& request) {
  InstanceMetadataOptionsResponse options;
  options.State = "applied";
  const auto given = request.MetadataOptions.value_or(InstanceMetadataOptionsRequest());
  options.HttpTokens = given.HttpTokens.value_or("optional");
  options.HttpPutResponseHopLimit = given.HttpPutResponseHopLimit.value_or(1);
  options.HttpEndpoint = given.HttpEndpoint.value_or("enabled");
  options.HttpProtocolIpv6 = given.HttpProtocolIpv6.value_or("disabled");
  options.InstanceMetadataTags = given.InstanceMetadataTags.value_or("disabled");
  return options;
}

Instance common_shape(Call& call, const RunInstancesRequest& request, const LaunchNetwork& network) {
  Instance shape;
  shape.ImageId = request.ImageId;
  shape.Architecture = architecture_of(*request.InstanceType);
  shape.BlockDeviceMappings.emplace();
  shape.NetworkInterfaces.emplace();
  shape.ClientToken = request.ClientToken.value_or("");
  shape.EbsOptimized = request.EbsOptimized.value_or(false);
  shape.KeyName = request.KeyName;
  if (request.IamInstanceProfile) {
    shape.IamInstanceProfile.emplace();
    shape.IamInstanceProfile->Arn = iam_profile_arn(call, *request.IamInstanceProfile);
  }
  shape.SecurityGroups = network.groups;
  shape.SubnetId = network.subnet;
  shape.VpcId = network.vpc;
  shape.PrivateDnsName = "";
  shape.PublicDnsName = "";
  shape.StateTransitionReason = "";
  shape.StateReason = {"pending", "pending"};
  shape.MetadataOptions = metadata_options(request);
  const bool monitored = request.Monitoring && request.Monitoring->Enabled;
  shape.Monitoring = {monitored ? "enabled" : "disabled"};
  shape.Placement.emplace();
  shape.Placement->Tenancy = "default";
  shape.Placement->GroupName = "";
  return shape;
}

// With Auto Scaling, a machine that ends by itself is replaced, so nothing remains to be started again.
bool terminates_on_shutdown(const Call& call, const RunInstancesRequest& request) {
  const std::string ours = call.caller.service == kAutoScaling ? "terminate" : "stop";
  return request.InstanceInitiatedShutdownBehavior.value_or(ours) == "terminate";
}

Launch plan_launch(Call& call, const RunInstancesRequest& request) {
  check_launch_members(request, "");
  if (!request.ImageId) throw missing_parameter("ImageId");
  // EC2's default.
  RunInstancesRequest complete = request;
  if (!complete.InstanceType) complete.InstanceType = "m1.small";
  check_instance_type(call, *complete.InstanceType);
  const std::string user_data = check_user_data(request.UserData, "InvalidParameterValue");
  check_key_pair(call, request.KeyName);
  const LaunchNetwork network = choose_network(call, complete);
  Launch launch;
  launch.type = *complete.InstanceType;
  launch.zone = network.zone;
  launch.tags = requested_tags(call, request.TagSpecifications, "instance",
                               {"volume", "network-interface", "spot-instances-request", "elastic-gpu"});
  const auto group = launch.tags.find(std::string(kGroupTag));
  if (group != launch.tags.end()) launch.group = group->second;
  launch.reservation = make_id("r");
  launch.body.shape = common_shape(call, complete, network);
  launch.body.reservation = launch.reservation;
  launch.body.requester = call.caller.service;
  launch.body.user_data = request.UserData.value_or("");
  launch.body.termination_protected = request.DisableApiTermination.value_or(false);
  launch.body.stop_protected = request.DisableApiStop.value_or(false);
  launch.body.terminates_on_shutdown = terminates_on_shutdown(call, request);
  launch.agent_json = to_json(read_user_data(user_data));
  return launch;
}

state::Ec2Instance launch_one(Call& call, const Launch& launch, std::int32_t index) {
  InstanceBody body = launch.body;
  body.shape.AmiLaunchIndex = index;
  state::Ec2Instance instance;
  instance.id = make_id("i");
  instance.account = call.caller.account;
  instance.region = call.caller.region;
  instance.zone = launch.zone;
  instance.type = launch.type;
  instance.group = launch.group;
  instance.agent_json = launch.agent_json;
  instance.launched_at = instance.changed_at = call.now;
  set_body(instance, body);
  insert_ec2_instance(call.tx, instance);
  put_tags(call, instance.id, "instance", launch.tags);
  publish_state(call, instance);
  return instance;
}

Reservation shown_reservation(Call& call, const std::string& id, const std::vector<state::Ec2Instance>& instances) {
  Reservation reservation;
  reservation.ReservationId = id;
  reservation.OwnerId = call.caller.account;
  reservation.Groups.emplace();
  reservation.Instances.emplace();
  for (const auto& instance : instances) {
    const InstanceBody body = body_of(instance);
    if (!body.requester.empty()) reservation.RequesterId = body.requester;
    reservation.Instances->push_back(shown_instance(instance, body, tags_of(call, instance.id)));
  }
  return reservation;
}

// The answer of an earlier request with the same token.
std::optional<Reservation> repeated_launch(Call& call, const std::string& token, const std::string& hash) {
  const auto earlier =
      call.tx
          .query("SELECT request_hash, reservation FROM ec2_launch_tokens WHERE account = $1 AND region = $2 AND "
                 "token = $3",
                 call.caller.account, call.caller.region, token)
          .one([](const store::Row& row) { return std::pair(row.str(0), row.str(1)); });
  if (!earlier) return std::nullopt;
  if (earlier->first != hash) {
    throw ApiError("IdempotentParameterMismatch", "Arguments on this idempotent request are inconsistent with "
                                                  "arguments used in previous request(s).");
  }
  auto instances = state::list_ec2_instances(
      call.tx, {.account = call.caller.account, .region = call.caller.region, .most = kMaxListedInstances});
  std::erase_if(instances, [&](const auto& instance) { return body_of(instance).reservation != earlier->second; });
  return shown_reservation(call, earlier->second, instances);
}

Reservation run_instances(Call& call, const RunInstancesRequest& request) {
  check_counts(request);
  const std::string token = request.ClientToken.value_or("");
  if (token.size() > kMaxTokenLength) throw invalid_value("A ClientToken has at most 64 characters.");
  const std::string hash = base::to_hex(base::sha256(to_json(request)));
  if (!token.empty()) {
    if (auto repeated = repeated_launch(call, token, hash)) return std::move(*repeated);
  }
  const Launch launch = plan_launch(call, with_template(call, request));
  check_dry_run(request.DryRun);
  if (!token.empty()) {
    call.tx.exec("INSERT INTO ec2_launch_tokens (account, region, token, request_hash, reservation, created_at) "
                 "VALUES ($1, $2, $3, $4, $5, $6)",
                 call.caller.account, call.caller.region, token, hash, launch.reservation, call.now);
  }
  std::vector<state::Ec2Instance> instances;
  const std::int32_t count = std::min(request.MaxCount, kMaxLaunch);
  for (std::int32_t i = 0; i < count; ++i) instances.push_back(launch_one(call, launch, i));
  call.wake(std::string(state::kMachinesTopic));
  return shown_reservation(call, launch.reservation, instances);
}

}  // namespace

std::vector<Operation> run_operations() { return {operation<&run_instances>("RunInstances", Access::Write)}; }

}  // namespace services::ec2
