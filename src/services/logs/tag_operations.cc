// SPDX-License-Identifier: Apache-2.0
// Tags of groups, by ARN and by name: two APIs, one set of tags.
#include "services/arn.h"
#include "services/logs/errors.h"
#include "services/logs/group.h"
#include "services/logs/operations.h"
#include "services/logs/tag_rules.h"
#include "services/shape_json.h"
#include "services/tags.h"
#include "shapes/logs/tag.h"

namespace services::logs {
using namespace shapes::logs;

void check_tags(const std::map<std::string, std::string>& tags) {
  for (const auto& [key, value] : tags) {
    if (is_reserved_tag(key)) throw invalid_parameter("aws: prefixed tag key names are not allowed for external use.");
    const TagProblems problems = find_tag_problems(key, value);
    if (problems.empty_key || problems.key_characters || problems.value_characters) {
      throw invalid_parameter("The tag '" + key + "' has characters that are not allowed.");
    }
  }
}

namespace {

using Tags = std::map<std::string, std::string>;

// TagResource and its like take ARNs only.
Group require_tagged_group(Call& call, const std::string& arn) {
  if (!parse_arn(arn, "logs")) throw invalid_parameter("The resource ARN '" + arn + "' is invalid.");
  return require_identified_group(call, arn, "resourceArn");
}

void store_tags(Call& call, const Group& group, const Tags& tags) {
  call.tx.exec("UPDATE logs_groups SET tags = $2 WHERE id = $1", group.id, to_json(tags));
}

void add_tags(Call& call, const Group& group, const Tags& added, const char* too_many) {
  check_tags(added);
  Tags tags = group.tags;
  for (const auto& [key, value] : added) tags[key] = value;
  if (tags.size() > kMaxTags) {
    throw wire::ApiError(too_many, "A resource can have no more than " + std::to_string(kMaxTags) + " tags.");
  }
  store_tags(call, group, tags);
}

void remove_tags(Call& call, const Group& group, const std::vector<std::string>& keys) {
  Tags tags = group.tags;
  for (const std::string& key : keys) tags.erase(key);
  store_tags(call, group, tags);
}

void tag_resource(Call& call, const TagResourceRequest& request) {
  add_tags(call, require_tagged_group(call, request.resourceArn), request.tags, "TooManyTagsException");
}

void untag_resource(Call& call, const UntagResourceRequest& request) {
  remove_tags(call, require_tagged_group(call, request.resourceArn), request.tagKeys);
}

ListTagsForResourceResponse list_tags_for_resource(Call& call, const ListTagsForResourceRequest& request) {
  return {.tags = require_tagged_group(call, request.resourceArn).tags};
}

void tag_log_group(Call& call, const TagLogGroupRequest& request) {
  check_group_name(request.logGroupName);
  add_tags(call, require_group(call, request.logGroupName), request.tags, "InvalidParameterException");
}

void untag_log_group(Call& call, const UntagLogGroupRequest& request) {
  check_group_name(request.logGroupName);
  remove_tags(call, require_group(call, request.logGroupName), request.tags);
}

ListTagsLogGroupResponse list_tags_log_group(Call& call, const ListTagsLogGroupRequest& request) {
  check_group_name(request.logGroupName);
  return {.tags = require_group(call, request.logGroupName).tags};
}

}  // namespace

std::vector<Operation> tag_operations() {
  return {
      operation<&tag_resource>("TagResource", Access::Write),
      operation<&untag_resource>("UntagResource", Access::Write),
      operation<&list_tags_for_resource>("ListTagsForResource", Access::Read),
      operation<&tag_log_group>("TagLogGroup", Access::Write),
      operation<&untag_log_group>("UntagLogGroup", Access::Write),
      operation<&list_tags_log_group>("ListTagsLogGroup", Access::Read),
  };
}

}  // namespace services::logs
