// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/instances/instance_body.h"

#include "services/ec2/errors.h"
#include "services/ec2/identifiers.h"
#include "services/ec2/resource_tags.h"
#include "services/ec2/zones.h"
#include "services/shape_json.h"

namespace services::ec2 {

using wire::ApiError;

InstanceBody body_of(const state::Ec2Instance& instance) { return from_json<InstanceBody>(instance.body_json); }

void set_body(state::Ec2Instance& instance, const InstanceBody& body) { instance.body_json = to_json(body); }

std::string instance_arn(const state::Ec2Instance& instance) {
  return "arn:aws:ec2:" + instance.region + ":" + instance.account + ":instance/" + instance.id;
}

shapes::ec2::InstanceState shown_state(state::Ec2State state) {
  return {static_cast<std::int32_t>(state), std::string(text(state))};
}

shapes::ec2::Instance shown_instance(const state::Ec2Instance& instance, const InstanceBody& body, const Tags& tags) {
  shapes::ec2::Instance shape = body.shape;
  shape.InstanceId = instance.id;
  shape.InstanceType = instance.type;
  shape.State = shown_state(instance.state);
  shape.LaunchTime = std::chrono::floor<std::chrono::seconds>(instance.launched_at);  // as Amazon shows it
  if (!shape.Placement) shape.Placement.emplace();
  shape.Placement->AvailabilityZone = instance.zone;
  shape.Placement->AvailabilityZoneId = zone_id(instance.zone);
  if (!tags.empty()) shape.Tags = shown_tags(tags);
  // What every instance is here, as the images are (image_operations.cc).
  shape.ProductCodes.emplace();
  shape.SourceDestCheck = true;  // the default: a client that reads nothing would set it
  shape.VirtualizationType = "hvm";
  shape.Hypervisor = "xen";
  shape.PlatformDetails = "Linux/UNIX";
  shape.UsageOperation = "RunInstances";
  shape.HibernationOptions.emplace().Configured = false;
  shape.EnclaveOptions.emplace().Enabled = false;
  return shape;
}

state::Ec2Instance get_instance(Call& call, const std::string& id) { return get_instances(call, {id}).front(); }

std::vector<state::Ec2Instance> get_instances(Call& call, const std::vector<std::string>& ids) {
  std::vector<state::Ec2Instance> found;
  std::vector<std::string> missing;
  for (const std::string& id : ids) {
    if (!is_id(id, "i")) throw malformed_id("InvalidInstanceID.Malformed", id);
    auto instance = state::find_ec2_instance(call.tx, id);
    if (instance && instance->account == call.caller.account && instance->region == call.caller.region) {
      found.push_back(std::move(*instance));
    } else {
      missing.push_back(id);
    }
  }
  if (missing.size() == 1) throw id_not_found("InvalidInstanceID.NotFound", "instance ID", missing[0]);
  if (!missing.empty()) {
    std::string all;
    for (const std::string& id : missing) all += (all.empty() ? "" : ", ") + id;
    throw ApiError("InvalidInstanceID.NotFound", "The instance IDs '" + all + "' do not exist");
  }
  return found;
}

}  // namespace services::ec2
