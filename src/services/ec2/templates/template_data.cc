// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/templates/template_data.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "services/ec2/errors.h"
#include "services/ec2/instances/launch_checks.h"
#include "services/ec2/instances/instance_body.h"
#include "services/ec2/operations.h"
#include "services/ec2/templates/template_row.h"
#include "services/shape_json.h"

namespace services::ec2 {
namespace {

namespace json = boost::json;
using namespace shapes::ec2;

// The tags of a list of {"ResourceType", "Tags"} by type and key.
using TagsByType = std::map<std::string, std::map<std::string, std::string>>;

void add_tags(TagsByType& all, const json::value& specifications) {
  for (const json::value& one : specifications.as_array()) {
    const json::object& specification = one.as_object();
    const auto type = specification.find("ResourceType");
    const auto tags = specification.find("Tags");
    if (type == specification.end() || tags == specification.end()) continue;
    for (const json::value& tag : tags->value().as_array()) {
      const json::object& pair = tag.as_object();
      if (!pair.contains("Key")) continue;
      const json::value* value = pair.if_contains("Value");
      all[std::string(type->value().as_string())][std::string(pair.at("Key").as_string())] =
          value ? std::string(value->as_string()) : "";
    }
  }
}

json::array tag_specifications(const TagsByType& all) {
  json::array specifications;
  for (const auto& [type, tags] : all) {
    json::array list;
    for (const auto& [key, value] : tags) list.push_back(json::object{{"Key", key}, {"Value", value}});
    specifications.push_back(json::object{{"ResourceType", type}, {"Tags", list}});
  }
  return specifications;
}

GetLaunchTemplateDataResult get_launch_template_data(Call& call, const GetLaunchTemplateDataRequest& request) {
  check_dry_run(request.DryRun);
  const auto instance = get_instance(call, request.InstanceId);
  const InstanceBody body = body_of(instance);
  ResponseLaunchTemplateData data;
  data.ImageId = body.shape.ImageId;
  data.InstanceType = instance.type;
  data.KeyName = body.shape.KeyName;
  if (body.shape.EbsOptimized) data.EbsOptimized = body.shape.EbsOptimized;
  data.Placement.emplace();
  data.Placement->AvailabilityZone = instance.zone;
  data.DisableApiTermination = body.termination_protected;
  data.DisableApiStop = body.stop_protected;
  data.InstanceInitiatedShutdownBehavior = body.terminates_on_shutdown ? "terminate" : "stop";
  if (!body.user_data.empty()) data.UserData = body.user_data;
  data.SecurityGroupIds.emplace();
  for (const auto& group : body.shape.SecurityGroups.value_or(std::vector<GroupIdentifier>())) {
    data.SecurityGroupIds->push_back(*group.GroupId);
  }
  GetLaunchTemplateDataResult result;
  result.LaunchTemplateData = std::move(data);
  return result;
}

}  // namespace

void check_template_data(Call& call, const RequestLaunchTemplateData& data) {
  const std::string path = "LaunchTemplateData.";
  reject_members(data, {"RamDiskId", "ElasticGpuSpecifications", "InstanceRequirements"}, path);
  // The other settings have the names and the forms that they have in RunInstances.
  const auto as_launch = from_json<RunInstancesRequest>(to_json(data));
  check_launch_members(as_launch, path);
  check_user_data(as_launch.UserData, "InvalidUserData.Malformed");
  if (data.InstanceType) check_instance_type(call, *data.InstanceType);
}

std::string merge_settings(const std::string& base_json, const std::string& over_json) {
  json::object merged = json::parse(base_json).as_object();
  const json::value over_value = json::parse(over_json);
  const json::object& over = over_value.as_object();
  TagsByType tags;
  for (const json::object* source : {static_cast<const json::object*>(&merged), &over}) {
    if (const json::value* specifications = source->if_contains("TagSpecifications")) add_tags(tags, *specifications);
  }
  for (const auto& [name, value] : over) merged[name] = value;
  if (!tags.empty()) merged["TagSpecifications"] = tag_specifications(tags);
  return json::serialize(merged);
}

RunInstancesRequest with_template(Call& call, const RunInstancesRequest& request) {
  if (!request.LaunchTemplate) return request;
  const TemplateRow row =
      get_template(call, request.LaunchTemplate->LaunchTemplateId, request.LaunchTemplate->LaunchTemplateName);
  const auto version = get_template_version(call, row, request.LaunchTemplate->Version.value_or("$Default"));
  return from_json<RunInstancesRequest>(merge_settings(version.data_json, to_json(request)));
}

std::vector<Operation> template_data_operations() {
  return {operation<&get_launch_template_data>("GetLaunchTemplateData", Access::Read)};
}

}  // namespace services::ec2
