// SPDX-License-Identifier: Apache-2.0
// Launch configurations: rows and operations.
#include "services/autoscaling/groups/launch_configuration.h"

#include <algorithm>

#include "base/random.h"
#include "services/arn.h"
#include "services/autoscaling/errors.h"
#include "services/autoscaling/groups/group.h"
#include "services/autoscaling/groups/operations.h"
#include "services/invoke.h"
#include "services/page.h"
#include "services/shape_json.h"
#include "shapes/ec2/instance.h"
#include "shapes/ec2/instance_attribute.h"

namespace services::autoscaling {
namespace {

using shapes::autoscaling::CreateLaunchConfigurationType;
using shapes::autoscaling::LaunchConfigurationNamesType;
using shapes::autoscaling::LaunchConfigurationNameType;
using shapes::autoscaling::LaunchConfigurationsType;

constexpr std::int64_t kMaxLaunchConfigurations = 200;
constexpr std::int32_t kMaxPage = 100, kPage = 50;

LaunchConfiguration read_configuration(const store::Row& row) { return from_json<LaunchConfiguration>(row.text(0)); }

// Members that no machine here can honour.
void check_configuration(const CreateLaunchConfigurationType& request) {
  if (!request.ImageId || !request.InstanceType) {
    throw validation_error(
        "Valid requests must contain either the InstanceID parameter or both the ImageId and InstanceType parameters.");
  }
  if (request.SpotPrice) throw unsupported("SpotPrice: there are no Spot Instances");
  if (request.KernelId) throw unsupported("KernelId");
  if (request.RamdiskId) throw unsupported("RamdiskId");
  const bool classic = request.ClassicLinkVPCSecurityGroups && !request.ClassicLinkVPCSecurityGroups->empty();
  if (request.ClassicLinkVPCId || classic) throw unsupported("ClassicLink");
  if (request.PlacementTenancy && *request.PlacementTenancy != "default") {
    throw unsupported("the PlacementTenancy " + *request.PlacementTenancy);
  }
  check_text("LaunchConfigurationName", request.LaunchConfigurationName);
}

LaunchConfiguration to_row(Call& call, const CreateLaunchConfigurationType& request) {
  LaunchConfiguration row;
  row.LaunchConfigurationName = request.LaunchConfigurationName;
  row.LaunchConfigurationARN =
      Arn{"autoscaling", call.caller.region, call.caller.account,
          "launchConfiguration:" + base::random_uuid() + ":launchConfigurationName/" + request.LaunchConfigurationName}
          .str();
  row.ImageId = *request.ImageId;
  row.InstanceType = *request.InstanceType;
  row.KeyName = request.KeyName.value_or("");
  row.KernelId = row.RamdiskId = "";
  row.SecurityGroups = request.SecurityGroups.value_or(std::vector<std::string>());
  row.ClassicLinkVPCSecurityGroups = std::vector<std::string>();
  row.UserData = request.UserData.value_or("");
  row.BlockDeviceMappings =
      request.BlockDeviceMappings.value_or(std::vector<shapes::autoscaling::BlockDeviceMapping>());
  row.InstanceMonitoring =
      request.InstanceMonitoring.value_or(shapes::autoscaling::InstanceMonitoring{.Enabled = true});
  row.IamInstanceProfile = request.IamInstanceProfile;
  row.EbsOptimized = request.EbsOptimized.value_or(false);
  row.AssociatePublicIpAddress = request.AssociatePublicIpAddress;
  row.PlacementTenancy = request.PlacementTenancy;
  row.MetadataOptions = request.MetadataOptions;
  row.CreatedTime = call.now;
  return row;
}

// What the instance has and the request does not state. As at Amazon, its volumes and public address are left out.
CreateLaunchConfigurationType with_instance(Call& call, CreateLaunchConfigurationType request) {
  const Caller principal = as_service(call, "autoscaling.amazonaws.com", "", call.caller.account);
  shapes::ec2::DescribeInstancesRequest find;
  find.InstanceIds = {{*request.InstanceId}};
  shapes::ec2::DescribeInstanceAttributeRequest read;
  read.InstanceId = *request.InstanceId;
  read.Attribute = "userData";
  try {
    const auto found = invoke<shapes::ec2::DescribeInstancesResult>(call, principal, "ec2", "DescribeInstances", find);
    const shapes::ec2::Instance instance = found.Reservations->at(0).Instances->at(0);
    if (!request.ImageId) request.ImageId = instance.ImageId;
    if (!request.InstanceType) request.InstanceType = instance.InstanceType;
    if (!request.KeyName) request.KeyName = instance.KeyName;
    if (!request.EbsOptimized) request.EbsOptimized = instance.EbsOptimized;
    if (!request.IamInstanceProfile && instance.IamInstanceProfile) {
      request.IamInstanceProfile = instance.IamInstanceProfile->Arn;
    }
    if (!request.SecurityGroups && instance.SecurityGroups) {
      request.SecurityGroups.emplace();
      for (const auto& group : *instance.SecurityGroups) request.SecurityGroups->push_back(group.GroupId.value_or(""));
    }
    const auto data =
        invoke<shapes::ec2::InstanceAttribute>(call, principal, "ec2", "DescribeInstanceAttribute", read);
    if (!request.UserData && data.UserData) request.UserData = data.UserData->Value;
  } catch (const wire::ApiError& error) {
    throw validation_error("Invalid Instance ID: " + error.message());
  }
  return request;
}

void create_launch_configuration(Call& call, const CreateLaunchConfigurationType& given) {
  const CreateLaunchConfigurationType request = given.InstanceId ? with_instance(call, given) : given;
  check_configuration(request);
  const std::string& name = request.LaunchConfigurationName;
  if (load_launch_configuration(call.tx, {call.caller.account, call.caller.region, name})) {
    throw wire::ApiError("AlreadyExistsFault",
                         "Launch Configuration by this name already exists - A launch configuration "
                         "already exists with the name " +
                             name);
  }
  if (count_launch_configurations(call) >= kMaxLaunchConfigurations) {
    throw wire::ApiError("LimitExceededFault",
                         "The number of launch configurations exceeds the limit of this account.");
  }
  call.tx.exec("INSERT INTO autoscaling_launch_configurations (account, region, name, body) VALUES ($1, $2, $3, $4)",
               call.caller.account, call.caller.region, name, to_json(to_row(call, request)));
}

LaunchConfigurationsType describe_launch_configurations(Call& call, const LaunchConfigurationNamesType& request) {
  const Page page = read_records_page(request.MaxRecords, request.NextToken, kMaxPage, kPage);
  LaunchConfigurationsType answer;
  if (request.LaunchConfigurationNames && !request.LaunchConfigurationNames->empty()) {
    for (const std::string& name : *request.LaunchConfigurationNames) {
      auto found = load_launch_configuration(call.tx, {call.caller.account, call.caller.region, name});
      if (found) answer.LaunchConfigurations.push_back(std::move(*found));
    }
    return answer;
  }
  answer.LaunchConfigurations =
      call.tx
          .query(
              "SELECT body FROM autoscaling_launch_configurations WHERE account = $1 AND region = $2 AND name > $3 "
              "ORDER BY name LIMIT $4",
              call.caller.account, call.caller.region, page.after, page.size + 1)
          .all(read_configuration);
  std::vector<std::string> names;
  for (const LaunchConfiguration& one : answer.LaunchConfigurations) names.push_back(one.LaunchConfigurationName);
  answer.NextToken = cut_page(names, page);
  answer.LaunchConfigurations.resize(names.size());
  return answer;
}

void delete_launch_configuration(Call& call, const LaunchConfigurationNameType& request) {
  const std::string& name = request.LaunchConfigurationName;
  find_launch_configuration(call, name);
  for (const Group& group : list_groups(call.tx, call.caller.account, call.caller.region, "", INT64_MAX)) {
    if (group.settings.launch_configuration != name) continue;
    throw wire::ApiError("ResourceInUseFault", "Cannot delete launch configuration " + name +
                                                   " because it is attached to AutoScalingGroup " + group.name);
  }
  call.tx.exec("DELETE FROM autoscaling_launch_configurations WHERE account = $1 AND region = $2 AND name = $3",
               call.caller.account, call.caller.region, name);
}

}  // namespace

void create_configuration_of(Call& call, const std::string& name, const std::string& instance) {
  CreateLaunchConfigurationType request;
  request.LaunchConfigurationName = name;
  request.InstanceId = instance;
  create_launch_configuration(call, request);
}

std::optional<LaunchConfiguration> load_launch_configuration(store::Tx& tx, const LaunchConfigurationKey& key) {
  if (key.name.find('\0') != key.name.npos) return std::nullopt;
  return tx
      .query("SELECT body FROM autoscaling_launch_configurations WHERE account = $1 AND region = $2 AND name = $3",
             key.account, key.region, key.name)
      .one(read_configuration);
}

LaunchConfiguration find_launch_configuration(Call& call, const std::string& name) {
  auto found = load_launch_configuration(call.tx, {call.caller.account, call.caller.region, name});
  if (!found)
    throw validation_error("Launch configuration name not found - Launch configuration " + name + " not found");
  return std::move(*found);
}

std::int64_t count_launch_configurations(Call& call) {
  return call.tx
      .query("SELECT count(*) FROM autoscaling_launch_configurations WHERE account = $1 AND region = $2",
             call.caller.account, call.caller.region)
      .integer();
}

std::vector<Operation> launch_configuration_operations() {
  return {operation<&create_launch_configuration>("CreateLaunchConfiguration", Access::Write),
          operation<&describe_launch_configurations>("DescribeLaunchConfigurations", Access::Read),
          operation<&delete_launch_configuration>("DeleteLaunchConfiguration", Access::Write)};
}

}  // namespace services::autoscaling
