// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tags.h"

#include <algorithm>
#include <functional>

#include "base/bytes.h"
#include "services/ecs/arn.h"
#include "services/ecs/cluster.h"
#include "services/ecs/errors.h"
#include "services/ecs/handlers.h"
#include "services/ecs/task_definition.h"

namespace services::ecs {
namespace {

using Tags = std::vector<Tag>;

constexpr std::size_t kMaxTags = 50;

// Letters of any script, digits, spaces, and + - = . _ : / @.
bool allowed(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c & 0x80) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view(" +-=._:/@").find(c) != std::string_view::npos;
  });
}

bool reserved(std::string_view text) { return base::to_lower(text.substr(0, 4)) == "aws:"; }

void check_tag(const Tag& tag) {
  if (!tag.key || tag.key->empty()) throw invalid_parameter("Tag keys can not be blank.");
  const std::string value = tag.value.value_or("");
  if (reserved(*tag.key) || reserved(value)) {
    throw invalid_parameter("Tag keys and values can not start with 'aws:', in any case: it is reserved for AWS use.");
  }
  if (!allowed(*tag.key) || !allowed(value)) {
    throw invalid_parameter("Tags can only have letters, numbers, spaces, and the characters + - = . _ : / @.");
  }
}

Tags without(Tags tags, const std::vector<std::string>& keys) {
  std::erase_if(tags, [&](const Tag& tag) { return std::find(keys.begin(), keys.end(), *tag.key) != keys.end(); });
  return tags;
}

StoredCluster tagged_cluster(Call& call, const Arn& arn) {
  auto cluster = load_cluster(call, arn.name);
  if (!cluster) throw cluster_not_found();
  if (!cluster->active) {
    throw invalid_parameter("The specified cluster is inactive. Specify an active cluster and try again.");
  }
  return std::move(*cluster);
}

// The tags of what the ARN names, through `change` where there is one to be made.
Tags tags_of(Call& call, const std::string& resource, const std::function<Tags(Tags)>& change = nullptr) {
  const auto arn = parse_arn(resource);
  if (!arn) throw invalid_parameter("Invalid ARN: " + resource);
  if (arn->type == "cluster" && arn->belongs_to(call.caller)) {
    StoredCluster cluster = tagged_cluster(call, *arn);
    Tags tags = cluster.body.tags.value_or(Tags());
    if (!change) return tags;
    cluster.body.tags = change(std::move(tags));
    update_cluster_row(call.tx, cluster);
    return *cluster.body.tags;
  }
  if (arn->type == "task-definition" && arn->belongs_to(call.caller)) {
    StoredTaskDefinition definition = find_revision(call, resource);
    if (!change) return definition.tags;
    definition.tags = change(std::move(definition.tags));
    update_task_definition(call.tx, definition);
    return definition.tags;
  }
  throw wire::ApiError("ResourceNotFoundException", "The specified resource was not found: " + resource);
}

}  // namespace

Tags add_tags(Tags tags, const Tags& more) {
  std::vector<std::string> keys;
  for (const Tag& tag : more) {
    check_tag(tag);
    if (std::find(keys.begin(), keys.end(), *tag.key) != keys.end()) {
      throw invalid_parameter("Duplicate tag key: " + *tag.key);
    }
    keys.push_back(*tag.key);
    auto found = std::find_if(tags.begin(), tags.end(), [&](const Tag& old) { return old.key == tag.key; });
    if (found == tags.end()) found = tags.insert(tags.end(), Tag{tag.key, {}});
    found->value = tag.value.value_or("");
  }
  if (tags.size() > kMaxTags) throw invalid_parameter("The maximum number of tags per resource is 50.");
  return tags;
}

TagResourceResponse tag_resource(Call& call, const TagResourceRequest& request) {
  if (request.tags.empty()) throw invalid_parameter("Tags can not be empty.");
  tags_of(call, request.resourceArn, [&](Tags tags) { return add_tags(std::move(tags), request.tags); });
  return {};
}

UntagResourceResponse untag_resource(Call& call, const UntagResourceRequest& request) {
  if (request.tagKeys.empty()) throw invalid_parameter("Tag keys can not be empty.");
  tags_of(call, request.resourceArn, [&](Tags tags) { return without(std::move(tags), request.tagKeys); });
  return {};
}

ListTagsForResourceResponse list_tags_for_resource(Call& call, const ListTagsForResourceRequest& request) {
  return {.tags = tags_of(call, request.resourceArn)};
}

}  // namespace services::ecs
