// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tags.h"

#include <algorithm>
#include <functional>

#include "services/ecs/arn.h"
#include "services/ecs/capacity/provider.h"
#include "services/ecs/clusters/cluster.h"
#include "services/ecs/definitions/definition.h"
#include "services/ecs/errors.h"
#include "services/ecs/machines/instance.h"
#include "services/ecs/operations.h"
#include "services/ecs/services/stored_service.h"
#include "services/ecs/tag_operations.h"
#include "services/ecs/tasks/report.h"
#include "services/ecs/tasks/task_view.h"
#include "services/tags.h"

namespace services::ecs {
namespace {

using Tags = std::vector<Tag>;

void check_tag(const Tag& tag) {
  if (!tag.key || tag.key->empty()) throw invalid_parameter("Tag keys can not be blank.");
  const std::string value = tag.value.value_or("");
  if (is_reserved_tag(*tag.key) || is_reserved_tag(value)) {
    throw invalid_parameter("Tag keys and values can not start with 'aws:', in any case: it is reserved for AWS use.");
  }
  const TagProblems problems = find_tag_problems(*tag.key, value);
  if (problems.key_characters || problems.value_characters) {
    throw invalid_parameter(
        "Some tags contain invalid characters. Valid characters: UTF-8 letters, spaces, numbers and _ . / = + - : @.");
  }
}

// "You cannot edit or delete tag keys or values with this prefix."
Tags without(Tags tags, const std::vector<std::string>& keys) {
  if (std::any_of(keys.begin(), keys.end(), is_reserved_tag)) {
    throw invalid_parameter("Tags whose keys start with 'aws:' can not be removed.");
  }
  std::erase_if(tags, [&](const Tag& tag) { return std::find(keys.begin(), keys.end(), *tag.key) != keys.end(); });
  return tags;
}

WholeCluster tagged_cluster(Call& call, const Arn& arn) {
  auto cluster = load_cluster(call, arn.name);
  if (!cluster) throw cluster_not_found();
  if (!cluster->active) {
    throw invalid_parameter("The specified cluster is inactive. Specify an active cluster and try again.");
  }
  return std::move(*cluster);
}

using Change = std::function<Tags(Tags)>;

Tags of_cluster(Call& call, const Arn& arn, const Change& change) {
  WholeCluster cluster = tagged_cluster(call, arn);
  Tags tags = cluster.body.tags.value_or(Tags());
  if (!change) return tags;
  cluster.body.tags = change(std::move(tags));
  update_cluster_row(call.tx, cluster);
  return *cluster.body.tags;
}

Tags of_definition(Call& call, const std::string& resource, const Change& change) {
  StoredTaskDefinition definition = find_revision(call, resource);
  if (!change) return definition.tags;
  definition.tags = change(std::move(definition.tags));
  update_task_definition(call.tx, definition);
  return definition.tags;
}

// The cluster with this number; nullopt unless it is the caller's and the one that "web/3f2a..." names.
std::optional<state::Cluster> home_of(Call& call, const Arn& arn, state::ClusterNumber number) {
  auto cluster = state::find_cluster(call.tx, number);
  const bool named = cluster && cluster->account == call.caller.account && cluster->region == call.caller.region &&
                     arn.name.substr(0, arn.name.find('/')) == cluster->name;
  return named ? cluster : std::nullopt;
}

std::string id_of(const Arn& arn) { return arn.name.substr(arn.name.find('/') + 1); }

std::optional<Tags> of_task(Call& call, const Arn& arn, const Change& change) {
  auto task = state::find_task(call.tx, model::TaskId(id_of(arn)));
  const auto cluster = task ? home_of(call, arn, task->cluster) : std::nullopt;
  if (!cluster) return std::nullopt;
  // A task has the tags of its launch until it has its own.
  auto own = own_tags(*task);
  Tags tags = own ? std::move(*own) : TaskView(call, *cluster).launch_of(*task).body.tags;
  if (!change) return tags;
  set_own_tags(*task, change(std::move(tags)));
  state::update_task(call.tx, *task);
  return own_tags(*task);
}

std::optional<Tags> of_instance(Call& call, const Arn& arn, const Change& change) {
  auto instance = load_instance(call.tx, model::InstanceId(id_of(arn)));
  if (!instance || instance->status == model::InstanceStatus::Inactive || !home_of(call, arn, instance->cluster)) {
    return std::nullopt;
  }
  Tags tags = instance->body.tags.value_or(Tags());
  if (!change) return tags;
  instance->body.tags = change(std::move(tags));
  update_instance(call.tx, *instance);
  return instance->body.tags;
}

std::optional<Tags> of_service(Call& call, const Arn& arn, const Change& change) {
  const state::ClusterKey key{call.caller.account, call.caller.region,
                              std::string_view(arn.name).substr(0, arn.name.find('/'))};
  const auto cluster = state::find_cluster(call.tx, key);
  auto row = cluster ? state::find_service(call.tx, cluster->number, id_of(arn)) : std::nullopt;
  if (!row || row->status == state::ServiceStatus::Inactive) return std::nullopt;
  StoredService service = parse(std::move(*row));
  if (!change) return service.body.tags;
  service.body.tags = change(std::move(service.body.tags));
  update_service_row(call.tx, service);
  return service.body.tags;
}

std::optional<Tags> of_provider(Call& call, const Arn& arn, const Change& change) {
  auto provider = find_provider(call.tx, arn.account, arn.region, arn.name);
  if (!provider || provider->inactive_at) return std::nullopt;
  if (!change) return provider->body.tags;
  provider->body.tags = change(std::move(provider->body.tags));
  update_provider(call.tx, *provider);
  return provider->body.tags;
}

// The format of ARNs until 2018, without the name of the cluster.
bool in_old_format(const Arn& arn) {
  const bool in_cluster = arn.type == "task" || arn.type == "container-instance" || arn.type == "service";
  return in_cluster && arn.name.find('/') == std::string::npos;
}

// The tags of what the ARN names, after `change` where there is one.
Tags tags_of(Call& call, const std::string& resource, const Change& change = nullptr) {
  const auto arn = parse_arn(resource);
  if (!arn) throw invalid_parameter("Invalid ARN: " + resource);
  if (in_old_format(*arn)) throw invalid_parameter("Long arn format must be used for tagging operations");
  std::optional<Tags> tags;
  if (arn->belongs_to(call.caller)) {
    if (arn->type == "cluster") return of_cluster(call, *arn, change);
    if (arn->type == "task-definition") return of_definition(call, resource, change);
    if (arn->type == "task") tags = of_task(call, *arn, change);
    if (arn->type == "container-instance") tags = of_instance(call, *arn, change);
    if (arn->type == "service") tags = of_service(call, *arn, change);
    if (arn->type == "capacity-provider") tags = of_provider(call, *arn, change);
  }
  if (tags) return std::move(*tags);
  // ListTagsForResource has no ResourceNotFoundException in Amazon's model.
  const std::string why = "The specified resource was not found: " + resource;
  throw change ? wire::ApiError("ResourceNotFoundException", why) : invalid_parameter(why);
}

}  // namespace

Tags add_tags(Tags tags, const Tags& more) {
  std::vector<std::string> keys;
  for (const Tag& tag : more) {
    check_tag(tag);
    if (std::find(keys.begin(), keys.end(), *tag.key) != keys.end()) {
      throw invalid_parameter("Multiple tags contain the same key.");  // ECS's own words
    }
    keys.push_back(*tag.key);
    auto found = std::find_if(tags.begin(), tags.end(), [&](const Tag& old) { return old.key == tag.key; });
    if (found == tags.end()) found = tags.insert(tags.end(), Tag{tag.key, {}});
    found->value = tag.value.value_or("");
  }
  // "Tags with this prefix do not count against your tags per resource limit."
  const auto own = std::count_if(tags.begin(), tags.end(), [](const Tag& tag) { return !is_reserved_tag(*tag.key); });
  if (static_cast<std::size_t>(own) > kMaxTags) throw invalid_parameter("The maximum number of tags per resource is 50.");
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

std::vector<Operation> tag_operations() {
  return {
      operation<&list_tags_for_resource>("ListTagsForResource", Access::Read),
      operation<&tag_resource>("TagResource", Access::Write),
      operation<&untag_resource>("UntagResource", Access::Write),
  };
}

}  // namespace services::ecs
