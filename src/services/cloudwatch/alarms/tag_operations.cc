// SPDX-License-Identifier: Apache-2.0
// Tags of alarms and dashboards, by ARN.
#include "services/arn.h"
#include "services/cloudwatch/alarms/alarm_operations.h"
#include "services/cloudwatch/alarms/alarm_validation.h"
#include "services/cloudwatch/errors.h"
#include "services/shape_json.h"
#include "shapes/cloudwatch/tag.h"

namespace services::cloudwatch {
namespace {

using namespace shapes::cloudwatch;

// The kind and the name of a resource of the caller.
struct TaggedResource {
  bool dashboard = false;
  std::string name;
};

TaggedResource resource_of(const Call& call, const std::string& text) {
  const auto arn = parse_arn(text, "cloudwatch");
  constexpr std::string_view kAlarm = "alarm:", kDashboard = "dashboard/";
  if (arn && arn->account == call.caller.account) {
    if (arn->resource.starts_with(kAlarm) && arn->region == call.caller.region) {
      return {false, std::string(arn->resource.substr(kAlarm.size()))};
    }
    if (arn->resource.starts_with(kDashboard)) return {true, std::string(arn->resource.substr(kDashboard.size()))};
  }
  throw invalid_value("The value " + text + " for parameter ResourceARN is invalid.");
}

std::optional<TagMap> find_tags(Call& call, const TaggedResource& resource) {
  const auto read = [](const store::Row& row) { return from_json<TagMap>(row.text(0)); };
  if (resource.dashboard) {
    return call.tx.query("SELECT tags FROM cloudwatch_dashboards WHERE account = $1 AND name = $2", call.caller.account,
                         resource.name)
        .one(read);
  }
  return call.tx.query("SELECT tags FROM cloudwatch_alarms WHERE account = $1 AND region = $2 AND name = $3",
                       call.caller.account, call.caller.region, resource.name)
      .one(read);
}

void save_tags(Call& call, const TaggedResource& resource, const TagMap& tags) {
  const std::string json = to_json(tags);
  if (resource.dashboard) {
    call.tx.exec("UPDATE cloudwatch_dashboards SET tags = $3 WHERE account = $1 AND name = $2", call.caller.account,
                 resource.name, json);
  } else {
    call.tx.exec("UPDATE cloudwatch_alarms SET tags = $4, version = version + 1 "
                 "WHERE account = $1 AND region = $2 AND name = $3",
                 call.caller.account, call.caller.region, resource.name, json);
  }
}

TagMap existing_tags(Call& call, const TaggedResource& resource) {
  auto tags = find_tags(call, resource);
  if (!tags) throw wire::ApiError("ResourceNotFoundException", "The resource " + resource.name + " does not exist.");
  return std::move(*tags);
}

TagResourceOutput tag_resource(Call& call, const TagResourceInput& request) {
  const TaggedResource resource = resource_of(call, request.ResourceARN);
  save_tags(call, resource, add_tags(existing_tags(call, resource), request.Tags));
  return {};
}

UntagResourceOutput untag_resource(Call& call, const UntagResourceInput& request) {
  const TaggedResource resource = resource_of(call, request.ResourceARN);
  TagMap tags = existing_tags(call, resource);
  for (const std::string& key : request.TagKeys) tags.erase(key);
  save_tags(call, resource, tags);
  return {};
}

// As on Amazon, a deleted alarm has no tags, and that is not an error.
ListTagsForResourceOutput list_tags_for_resource(Call& call, const ListTagsForResourceInput& request) {
  ListTagsForResourceOutput output{.Tags = std::vector<Tag>()};
  const auto tags = find_tags(call, resource_of(call, request.ResourceARN));
  if (!tags) return output;
  for (const auto& [key, value] : *tags) output.Tags->push_back({key, value});
  return output;
}

}  // namespace

std::vector<Operation> tag_operations() {
  return {operation<&list_tags_for_resource>("ListTagsForResource", Access::Read),
          operation<&tag_resource>("TagResource", Access::Write),
          operation<&untag_resource>("UntagResource", Access::Write)};
}

}  // namespace services::cloudwatch
