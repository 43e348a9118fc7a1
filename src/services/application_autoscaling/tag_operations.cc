// SPDX-License-Identifier: Apache-2.0
#include "services/application_autoscaling/errors.h"
#include "services/application_autoscaling/operations.h"
#include "services/application_autoscaling/scalable_target.h"
#include "services/application_autoscaling/target_tags.h"
#include "services/tags.h"
#include "shapes/application_autoscaling/tag.h"

namespace services::application_autoscaling {

using namespace shapes::application_autoscaling;

TagMap with_tags(TagMap tags, const TagMap& more) {
  for (const auto& [key, value] : more) {
    if (find_tag_problems(key, value) != TagProblems() || is_reserved_tag(key)) {
      throw validation_error("Invalid tag: " + key);
    }
    tags[key] = value;
  }
  if (tags.size() > kMaxTags) {
    throw wire::ApiError("TooManyTagsException", "The resource already has the maximum number of tags.");
  }
  return tags;
}

namespace {

StoredTarget tagged_target(Call& call, const std::string& arn) {
  auto target = find_target_by_arn(call, arn);
  if (!target) throw resource_not_found(arn);
  return std::move(*target);
}

TagResourceResponse tag_resource(Call& call, const TagResourceRequest& request) {
  StoredTarget target = tagged_target(call, request.ResourceARN);
  target.tags = with_tags(std::move(target.tags), request.Tags);
  update_target(call.tx, target);
  return {};
}

UntagResourceResponse untag_resource(Call& call, const UntagResourceRequest& request) {
  StoredTarget target = tagged_target(call, request.ResourceARN);
  for (const std::string& key : request.TagKeys) target.tags.erase(key);
  update_target(call.tx, target);
  return {};
}

ListTagsForResourceResponse list_tags_for_resource(Call& call, const ListTagsForResourceRequest& request) {
  return {.Tags = tagged_target(call, request.ResourceARN).tags};
}

}  // namespace

std::vector<Operation> tag_operations() {
  return {
      operation<&tag_resource>("TagResource", Access::Write),
      operation<&untag_resource>("UntagResource", Access::Write),
      operation<&list_tags_for_resource>("ListTagsForResource", Access::Read),
  };
}

}  // namespace services::application_autoscaling
