// SPDX-License-Identifier: Apache-2.0
// Attributes that users set on container instances, in addition to those that agents register.
#include "services/ecs/machines/attributes.h"

#include <algorithm>
#include <map>

#include "services/ecs/arn.h"
#include "services/ecs/errors.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/machines/instance_operations.h"
#include "services/ecs/operations.h"
#include "services/ecs/page.h"

namespace services::ecs {
namespace {

// Amazon's limits.
constexpr std::size_t kMaxAtOnce = 10;
constexpr std::size_t kMaxCustom = 10;
constexpr std::size_t kMaxLength = 128;

using Attributes = std::vector<Attribute>;

bool made_of(std::string_view text, std::string_view more) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || more.find(c) != more.npos;
  });
}

// The rules of Amazon's documentation. The texts are ours, because Amazon's are not known.
void check_name(const std::string& name) {
  if (name.empty() || name.size() > kMaxLength || !made_of(name, "-_/\\.")) {
    throw invalid_parameter(
        "Invalid attribute name. It should have 1 to 128 letters, numbers, hyphens, underscores, slashes, back slashes "
        "and periods.");
  }
  // Both operations are documented for custom attributes, and agents send theirs whenever they register: a
  // user's change would not last.
  if (is_built_in_attribute(name)) {
    throw invalid_parameter("Invalid attribute name: " + name + " is set by the container agent.");
  }
}

void check_value(const std::optional<std::string>& value) {
  if (!value) return;
  if (value->empty() || value->size() > kMaxLength || !made_of(*value, "-_.@/\\: ") || value->starts_with(' ') ||
      value->ends_with(' ')) {
    throw invalid_parameter(
        "Invalid attribute value. It should have 1 to 128 letters, numbers, hyphens, underscores, periods, at signs, "
        "slashes, back slashes, colons and spaces, and neither start nor end with a space.");
  }
}

void check_count(const Attributes& attributes) {
  if (attributes.empty()) throw invalid_parameter("attributes can not be empty.");
  check_at_most(kMaxAtOnce, attributes.size(), "attributes");
}

StoredInstance find_target(Call& call, const state::Cluster& cluster, const Attribute& attribute) {
  const std::string id = attribute.targetId.value_or("");
  if (id.empty()) throw invalid_parameter("targetId can not be blank.");
  // "This parameter is required if you use the short form ID for a resource instead of the full ARN."
  if (!id.starts_with("arn:") && !attribute.targetType) throw invalid_parameter("targetType can not be blank.");
  auto instance = find_requested_instance(call.tx, cluster, id);
  if (!instance || instance->status == model::InstanceStatus::Inactive) {
    throw wire::ApiError("TargetNotFoundException", "The specified target was not found: " + id);
  }
  return std::move(*instance);
}

Attributes& attributes_of(StoredInstance& instance) {
  if (!instance.body.attributes) instance.body.attributes.emplace();
  return *instance.body.attributes;
}

Attributes::iterator find_named(Attributes& attributes, const std::string& name) {
  return std::find_if(attributes.begin(), attributes.end(), [&](const Attribute& one) { return one.name == name; });
}

// As responses show it: with the full ARN, and without the target's type.
Attribute shown(const state::Cluster& cluster, const StoredInstance& instance, const Attribute& attribute) {
  return {.name = attribute.name, .value = attribute.value, .targetId = instance_arn(cluster, instance.id)};
}

void put(Attributes& attributes, const Attribute& attribute) {
  auto found = find_named(attributes, attribute.name);
  if (found != attributes.end()) {
    found->value = attribute.value;
    return;
  }
  const auto custom = std::count_if(attributes.begin(), attributes.end(),
                                    [](const Attribute& one) { return !is_built_in_attribute(one.name); });
  if (static_cast<std::size_t>(custom) >= kMaxCustom) {
    throw wire::ApiError("AttributeLimitExceededException",
                         "A container instance can have at most 10 custom attributes.");
  }
  attributes.push_back({.name = attribute.name, .value = attribute.value});
}

void save(Call& call, StoredInstance& instance) {
  update_instance(call.tx, instance);
  put_in_fleet(call, instance);
}

}  // namespace

bool is_built_in_attribute(std::string_view name) {
  return name.starts_with("ecs.") || name.starts_with("com.amazonaws.ecs.") || name.starts_with("stoker.");
}

ListAttributesResponse list_attributes(Call& call, const ListAttributesRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  const Page page = page_of(request.maxResults, request.nextToken);
  // "You must also specify an attribute name to use this parameter."
  if (request.attributeValue && !request.attributeName) {
    throw invalid_parameter("attributeName can not be blank where attributeValue is given.");
  }
  std::map<std::string, Attribute> found;  // by the page's keys
  for (StoredInstance& instance : load_instances(call.tx, cluster.number)) {
    for (const Attribute& attribute : attributes_of(instance)) {
      const std::string key = instance.id.str() + "/" + attribute.name;
      if (key <= page.after) continue;
      if (request.attributeName && attribute.name != *request.attributeName) continue;
      if (request.attributeValue && attribute.value.value_or("") != *request.attributeValue) continue;
      found[key] = shown(cluster, instance, attribute);
    }
    if (found.size() > static_cast<std::size_t>(page.size)) break;
  }
  std::vector<std::string> keys;
  for (const auto& [key, attribute] : found) keys.push_back(key);
  ListAttributesResponse response;
  response.nextToken = cut_page(keys, page);
  response.attributes.emplace();
  for (const std::string& key : keys) response.attributes->push_back(found.at(key));
  return response;
}

PutAttributesResponse put_attributes(Call& call, const PutAttributesRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  check_count(request.attributes);
  PutAttributesResponse response;
  response.attributes.emplace();
  for (const Attribute& attribute : request.attributes) {
    check_name(attribute.name);
    check_value(attribute.value);
    StoredInstance instance = find_target(call, cluster, attribute);
    put(attributes_of(instance), attribute);
    save(call, instance);
    response.attributes->push_back(shown(cluster, instance, attribute));
  }
  return response;
}

DeleteAttributesResponse delete_attributes(Call& call, const DeleteAttributesRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  check_count(request.attributes);
  DeleteAttributesResponse response;
  response.attributes.emplace();
  for (const Attribute& attribute : request.attributes) {
    check_name(attribute.name);
    StoredInstance instance = find_target(call, cluster, attribute);
    Attributes& attributes = attributes_of(instance);
    auto found = find_named(attributes, attribute.name);
    // The response lists only those that were deleted: not those that do not exist or have another value.
    if (found == attributes.end() || (attribute.value && attribute.value != found->value)) continue;
    response.attributes->push_back(shown(cluster, instance, *found));
    attributes.erase(found);
    save(call, instance);
  }
  return response;
}

std::vector<Operation> attribute_operations() {
  return {
      operation<&delete_attributes>("DeleteAttributes", Access::Write),
      operation<&list_attributes>("ListAttributes", Access::Read),
      operation<&put_attributes>("PutAttributes", Access::Write),
  };
}

}  // namespace services::ecs
