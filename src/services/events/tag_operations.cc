// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "services/events/errors.h"
#include "services/events/operations.h"
#include "services/events/rule.h"
#include "services/events/rule_tags.h"
#include "services/tags.h"

namespace services::events {
using namespace shapes::events;

std::vector<Tag> add_tags(std::vector<Tag> tags, const std::vector<Tag>& more) {
  for (const Tag& tag : more) {
    const TagProblems problems = find_tag_problems(tag.Key, tag.Value);
    if (problems != TagProblems() || is_reserved_tag(tag.Key)) {
      throw validation_error("Parameter Tags is not valid. Reason: invalid tag " + tag.Key + ".");
    }
    std::erase_if(tags, [&](const Tag& known) { return known.Key == tag.Key; });
    tags.push_back(tag);
  }
  if (tags.size() > kMaxTags) throw limit_exceeded();
  return tags;
}

namespace {

// Changes the tags of the rule or the bus that an ARN names, and returns them.
template <class Change>
std::vector<Tag> change_tags(Call& call, const std::string& arn, Change&& change) {
  const auto bus = read_bus_name(call.caller, arn);
  if (bus && bus->arn() == arn) {
    StoredBus stored = find_bus(call, arn);
    if (change(stored.tags)) save_bus(call, stored);
    return stored.tags;
  }
  StoredRule rule = find_rule_by_arn(call, arn);
  if (change(rule.tags)) update_rule(call, rule);
  return rule.tags;
}

TagResourceResponse tag_resource(Call& call, const TagResourceRequest& request) {
  change_tags(call, request.ResourceARN, [&](std::vector<Tag>& tags) {
    tags = add_tags(std::move(tags), request.Tags);
    return true;
  });
  return {};
}

UntagResourceResponse untag_resource(Call& call, const UntagResourceRequest& request) {
  change_tags(call, request.ResourceARN, [&](std::vector<Tag>& tags) {
    std::erase_if(tags, [&](const Tag& tag) {
      return std::ranges::find(request.TagKeys, tag.Key) != request.TagKeys.end();
    });
    return true;
  });
  return {};
}

ListTagsForResourceResponse list_tags_for_resource(Call& call, const ListTagsForResourceRequest& request) {
  return {.Tags = change_tags(call, request.ResourceARN, [](std::vector<Tag>&) { return false; })};
}

}  // namespace

std::vector<Operation> tag_operations() {
  return {
      operation<&list_tags_for_resource>("ListTagsForResource", Access::Read),
      operation<&tag_resource>("TagResource", Access::Write),
      operation<&untag_resource>("UntagResource", Access::Write),
  };
}

}  // namespace services::events
