// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/groups/launch_source.h"

#include "services/autoscaling/errors.h"
#include "services/autoscaling/groups/group_events.h"
#include "services/autoscaling/groups/launch_configuration.h"
#include "services/autoscaling/groups/weights.h"
#include "services/invoke.h"
#include "shapes/ec2/launch_template.h"
#include "shapes/ec2/subnet.h"
#include "shapes/ec2/zone.h"

namespace services::autoscaling {
namespace {

namespace ec2 = shapes::ec2;
using shapes::autoscaling::LaunchTemplateSpecification;

// EC2 stores it in the instance's row: state::Ec2Instance::group.
constexpr char kGroupNameTag[] = "aws:autoscaling:groupName";

ec2::LaunchTemplateVersion find_template_version(Call& call, const Group& group,
                                                 const LaunchTemplateSpecification& given) {
  ec2::DescribeLaunchTemplateVersionsRequest request;
  request.LaunchTemplateId = given.LaunchTemplateId;
  if (!given.LaunchTemplateId) request.LaunchTemplateName = given.LaunchTemplateName;
  request.Versions = {{given.Version.value_or("$Default")}};
  try {
    const auto found = invoke<ec2::DescribeLaunchTemplateVersionsResult>(call, group_principal(call, group), "ec2",
                                                                         "DescribeLaunchTemplateVersions", request);
    if (found.LaunchTemplateVersions && !found.LaunchTemplateVersions->empty()) {
      return found.LaunchTemplateVersions->front();
    }
  } catch (const wire::ApiError& error) {
    throw validation_error("You must use a valid fully-formed launch template. " + error.message());
  }
  throw validation_error("You must use a valid fully-formed launch template. The version " +
                         *request.Versions->begin() + " does not exist.");
}

// With the number of its version.
LaunchTemplateSpecification resolve_template(Call& call, const Group& group, const LaunchTemplateSpecification& given) {
  const ec2::LaunchTemplateVersion version = find_template_version(call, group, given);
  return {.LaunchTemplateId = version.LaunchTemplateId,
          .LaunchTemplateName = version.LaunchTemplateName,
          .Version = std::to_string(version.VersionNumber.value_or(1))};
}

std::vector<LaunchOption> mixed_options(Call& call, const Group& group) {
  const auto& launch = *group.settings.mixed_instances->LaunchTemplate;
  const LaunchTemplateSpecification shared = resolve_template(call, group, *launch.LaunchTemplateSpecification);
  std::vector<LaunchOption> options;
  if (launch.Overrides) {
    for (const auto& one : *launch.Overrides) {
      LaunchOption option{.source = {}, .type = one.InstanceType, .image = one.ImageId, .weight = weight_of(one)};
      option.source.launch_template =
          one.LaunchTemplateSpecification ? resolve_template(call, group, *one.LaunchTemplateSpecification) : shared;
      options.push_back(std::move(option));
    }
  }
  if (options.empty()) options.push_back({.source = {.launch_configuration = {}, .launch_template = shared}});
  return options;
}

void add_configuration(Call& call, const Group& group, const std::string& name, ec2::RunInstancesRequest& request) {
  const auto configuration = load_launch_configuration(call.tx, {group.account, group.region, name});
  if (!configuration)
    throw validation_error("Launch configuration name not found - Launch configuration " + name + " not found");
  request.ImageId = configuration->ImageId;
  request.InstanceType = configuration->InstanceType;
  if (configuration->UserData && !configuration->UserData->empty()) request.UserData = configuration->UserData;
  if (configuration->KeyName && !configuration->KeyName->empty()) request.KeyName = configuration->KeyName;
  for (const std::string& one : configuration->SecurityGroups.value_or(std::vector<std::string>())) {
    auto& list = one.starts_with("sg-") ? request.SecurityGroupIds : request.SecurityGroups;
    if (!list) list.emplace();
    list->push_back(one);
  }
  if (configuration->IamInstanceProfile) {
    request.IamInstanceProfile.emplace();
    auto& profile = *request.IamInstanceProfile;
    (configuration->IamInstanceProfile->starts_with("arn:") ? profile.Arn : profile.Name) =
        configuration->IamInstanceProfile;
  }
}

ec2::TagSpecification instance_tags(const Group& group) {
  ec2::TagSpecification tags;
  tags.ResourceType = "instance";
  tags.Tags.emplace();
  for (const GroupTag& tag : group.settings.tags) {
    if (tag.propagate) tags.Tags->push_back({.Key = tag.key, .Value = tag.value});
  }
  tags.Tags->push_back({.Key = kGroupNameTag, .Value = group.name});
  return tags;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    std::size_t end = text.find(',', begin);
    if (end == text.npos) end = text.size();
    std::string part = text.substr(begin, end - begin);
    std::erase_if(part, [](char c) { return c == ' '; });
    if (!part.empty()) parts.push_back(std::move(part));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

LaunchTemplateSpecification complete_template(Call& call, const Group& group,
                                              const LaunchTemplateSpecification& given) {
  if (!given.LaunchTemplateId && !given.LaunchTemplateName) {
    throw validation_error("Valid requests must contain either launchTemplateId or LaunchTemplateName");
  }
  if (given.LaunchTemplateId && given.LaunchTemplateName) {
    throw validation_error("Valid requests must contain either launchTemplateId or LaunchTemplateName");
  }
  LaunchTemplateSpecification complete = resolve_template(call, group, given);
  complete.Version = given.Version.value_or("$Default");
  return complete;
}

LaunchSource current_launch_source(Call& call, const Group& group) {
  const GroupSettings& settings = group.settings;
  if (settings.launch_configuration) return {.launch_configuration = settings.launch_configuration};
  const LaunchTemplateSpecification& given =
      settings.launch_template ? *settings.launch_template
                               : *settings.mixed_instances->LaunchTemplate->LaunchTemplateSpecification;
  LaunchSource source;
  source.launch_template = resolve_template(call, group, given);
  return source;
}

std::vector<LaunchOption> list_launch_options(Call& call, const Group& group) {
  if (group.settings.mixed_instances) return mixed_options(call, group);
  return {{.source = current_launch_source(call, group)}};
}

ec2::RunInstancesRequest launch_request(Call& call, const Group& group, const LaunchOption& option,
                                        const std::string& zone, const std::string& token) {
  ec2::RunInstancesRequest request;
  request.MinCount = request.MaxCount = 1;
  request.ClientToken = token;
  if (option.source.launch_template) {
    request.LaunchTemplate.emplace();
    request.LaunchTemplate->LaunchTemplateId = option.source.launch_template->LaunchTemplateId;
    request.LaunchTemplate->Version = option.source.launch_template->Version;
  } else {
    add_configuration(call, group, *option.source.launch_configuration, request);
  }
  if (option.type) request.InstanceType = option.type;
  if (option.image) request.ImageId = option.image;
  if (const std::string subnet = subnet_of(group, zone); !subnet.empty()) {
    request.SubnetId = subnet;
  } else {
    request.Placement.emplace();
    request.Placement->AvailabilityZone = zone;
  }
  request.TagSpecifications = {{instance_tags(group)}};
  return request;
}

std::string subnet_of(const Group& group, const std::string& zone) {
  for (const GroupSubnet& subnet : group.settings.subnets) {
    if (subnet.zone == zone) return subnet.id;
  }
  return "";
}

std::vector<GroupSubnet> find_subnets(Call& call, const Group& group, const std::string& identifier) {
  const std::vector<std::string> ids = split_list(identifier);
  if (ids.empty()) return {};
  ec2::DescribeSubnetsRequest request;
  request.SubnetIds = ids;
  std::vector<GroupSubnet> subnets;
  try {
    const auto found =
        invoke<ec2::DescribeSubnetsResult>(call, group_principal(call, group), "ec2", "DescribeSubnets", request);
    for (const std::string& id : ids) {
      for (const ec2::Subnet& one : *found.Subnets) {
        if (one.SubnetId == id) subnets.push_back({id, one.AvailabilityZone.value_or("")});
      }
    }
  } catch (const wire::ApiError& error) {
    throw validation_error(error.message());
  }
  return subnets;
}

std::vector<std::string> find_zones(Call& call, const Group& group, const std::vector<std::string>& names,
                                    const std::vector<std::string>& ids) {
  if (names.empty() && ids.empty()) return {};
  ec2::DescribeAvailabilityZonesRequest request;
  if (!names.empty()) request.ZoneNames = names;
  if (!ids.empty()) request.ZoneIds = ids;
  try {
    const auto found = invoke<ec2::DescribeAvailabilityZonesResult>(call, group_principal(call, group), "ec2",
                                                                    "DescribeAvailabilityZones", request);
    if (!names.empty()) return names;
    std::vector<std::string> zones;
    for (const ec2::AvailabilityZone& one : *found.AvailabilityZones) zones.push_back(one.ZoneName.value_or(""));
    return zones;
  } catch (const wire::ApiError& error) {
    throw validation_error(error.message());
  }
}

}  // namespace services::autoscaling
