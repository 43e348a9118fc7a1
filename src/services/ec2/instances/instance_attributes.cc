// SPDX-License-Identifier: Apache-2.0
// Single attributes of instances, and their changes.
#include "base/bytes.h"
#include "services/ec2/errors.h"
#include "services/ec2/instances/instance_body.h"
#include "services/ec2/instances/launch_checks.h"
#include "services/ec2/operations.h"
#include "services/ec2/user_data.h"
#include "services/shape_json.h"
#include "shapes/ec2/instance_attribute.h"
#include "shapes/stoker/machine.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;
using state::Ec2State;
using wire::ApiError;

InstanceAttribute describe_instance_attribute(Call& call, const DescribeInstanceAttributeRequest& request) {
  check_dry_run(request.DryRun);
  const auto instance = get_instance(call, request.InstanceId);
  const InstanceBody body = body_of(instance);
  InstanceAttribute shape;
  shape.InstanceId = instance.id;
  const std::string& name = request.Attribute;
  if (name == "userData") {
    shape.UserData.emplace();
    if (!body.user_data.empty()) shape.UserData->Value = body.user_data;
  } else if (name == "instanceType") {
    shape.InstanceType = {instance.type};
  } else if (name == "disableApiTermination") {
    shape.DisableApiTermination = {body.termination_protected};
  } else if (name == "disableApiStop") {
    shape.DisableApiStop = {body.stop_protected};
  } else if (name == "instanceInitiatedShutdownBehavior") {
    shape.InstanceInitiatedShutdownBehavior = {body.terminates_on_shutdown ? "terminate" : "stop"};
  } else if (name == "groupSet") {
    shape.Groups = body.shape.SecurityGroups;
  } else if (name == "ebsOptimized") {
    shape.EbsOptimized = {body.shape.EbsOptimized.value_or(false)};
  } else if (name == "blockDeviceMapping") {
    shape.BlockDeviceMappings.emplace();
  } else {
    throw unsupported_parameter("Attribute with the value " + name);
  }
  return shape;
}

// Attribute and Value are the older form of the other members.
ModifyInstanceAttributeRequest in_new_form(const ModifyInstanceAttributeRequest& request) {
  ModifyInstanceAttributeRequest changed = request;
  if (!request.Attribute) return changed;
  const std::string& name = *request.Attribute;
  const std::string value = request.Value.value_or("");
  if (name == "instanceType") {
    changed.InstanceType = {value};
  } else if (name == "userData") {
    const auto text = base::from_base64(value);
    if (!text) throw invalid_value("Invalid BASE64 encoding of user data.");
    changed.UserData = {base::Blob{*text}};
  } else if (name == "disableApiTermination") {
    changed.DisableApiTermination = {value == "true"};
  } else if (name == "disableApiStop") {
    changed.DisableApiStop = {value == "true"};
  } else if (name == "instanceInitiatedShutdownBehavior") {
    changed.InstanceInitiatedShutdownBehavior = {value};
  } else {
    throw unsupported_parameter("Attribute with the value " + name);
  }
  return changed;
}

void require_stopped(const state::Ec2Instance& instance) {
  if (instance.state == Ec2State::Stopped) return;
  throw ApiError("IncorrectInstanceState", "The instance '" + instance.id + "' is not in the 'stopped' state.");
}

void change_user_data(state::Ec2Instance& instance, InstanceBody& body, const std::string& text) {
  if (text.size() > kMaxUserData) throw invalid_value("User data is limited to 16384 bytes");
  body.user_data = base::to_base64(text);
  instance.agent_json = to_json(read_user_data(text));
}

void modify_instance_attribute(Call& call, const ModifyInstanceAttributeRequest& request) {
  reject_members(request, {"SourceDestCheck", "BlockDeviceMappings", "Kernel", "Ramdisk", "Groups", "EbsOptimized",
                           "SriovNetSupport", "EnaSupport"});
  const ModifyInstanceAttributeRequest change = in_new_form(request);
  auto instance = get_instance(call, request.InstanceId);
  InstanceBody body = body_of(instance);
  if (change.InstanceType) {
    require_stopped(instance);
    instance.type = check_instance_type(call, change.InstanceType->Value.value_or("")).name;
    body.shape.Architecture = architecture_of(instance.type);
  }
  if (change.UserData) {
    require_stopped(instance);
    change_user_data(instance, body, change.UserData->Value.value_or(base::Blob()).bytes);
  }
  if (change.DisableApiTermination) body.termination_protected = change.DisableApiTermination->Value.value_or(false);
  if (change.DisableApiStop) body.stop_protected = change.DisableApiStop->Value.value_or(false);
  if (change.InstanceInitiatedShutdownBehavior) {
    const std::string value = change.InstanceInitiatedShutdownBehavior->Value.value_or("");
    if (value != "stop" && value != "terminate") {
      throw invalid_value("Value (" + value + ") for parameter instanceInitiatedShutdownBehavior is invalid.");
    }
    body.terminates_on_shutdown = value == "terminate";
  }
  check_dry_run(request.DryRun);
  set_body(instance, body);
  update_ec2_instance(call.tx, instance);
}

}  // namespace

std::vector<Operation> instance_attribute_operations() {
  return {operation<&describe_instance_attribute>("DescribeInstanceAttribute", Access::Read),
          operation<&modify_instance_attribute>("ModifyInstanceAttribute", Access::Write)};
}

}  // namespace services::ec2
