// SPDX-License-Identifier: Apache-2.0
// CreateTags, DeleteTags, DescribeTags.
#include "services/ec2/errors.h"
#include "services/ec2/filters.h"
#include "services/ec2/identifiers.h"
#include "services/ec2/instances/instance_body.h"
#include "services/ec2/operations.h"
#include "services/ec2/record.h"
#include "services/ec2/resource_tags.h"
#include "services/ec2/templates/template_row.h"
#include "services/tags.h"
#include "shapes/ec2/tag.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;

constexpr std::size_t kMaxTaggedResources = 1000;
constexpr std::string_view kTagFilters[] = {"key", "resource-id", "resource-type", "value"};

struct MissingRecord {
  std::string_view type, code, noun;
};
constexpr MissingRecord kMissingRecords[] = {
    {"key-pair", "InvalidKeyPair.NotFound", "keyPair ID"},
    {"vpc", "InvalidVpcID.NotFound", "vpc ID"},
    {"subnet", "InvalidSubnetID.NotFound", "subnet ID"},
    {"security-group", "InvalidGroup.NotFound", "security group"},
    {"route-table", "InvalidRouteTableID.NotFound", "routeTable ID"},
    {"internet-gateway", "InvalidInternetGatewayID.NotFound", "internetGateway ID"},
};

wire::ApiError record_not_found(std::string_view type, const std::string& id) {
  for (const MissingRecord& one : kMissingRecords) {
    if (one.type == type) return id_not_found(std::string(one.code), std::string(one.noun), id);
  }
  return wire::ApiError("InvalidID", "The ID '" + id + "' is not valid");
}

// The type of an existing resource.
std::string_view check_resource(Call& call, const std::string& id) {
  const std::string_view type = resource_type_of(id);
  if (type == "instance") {
    get_instance(call, id);
  } else if (type == "launch-template") {
    get_template(call, id, std::nullopt);
  } else if (type.empty() || type == "security-group-rule" || !find_record_row(call, type, id)) {
    throw record_not_found(type, id);
  }
  return type;
}

// Auto Scaling's tag is how an instance joins and leaves a group.
void set_group(Call& call, const std::string& id, const std::string& group) {
  auto instance = get_instance(call, id);
  if (instance.group == group) return;
  instance.group = group;
  update_ec2_instance(call.tx, instance);
}

void check_resource_count(const std::vector<std::string>& resources) {
  if (resources.empty()) throw missing_parameter("ResourceId");
  if (resources.size() > kMaxTaggedResources) throw invalid_value("A request may name at most 1000 resources.");
}

void create_tags(Call& call, const CreateTagsRequest& request) {
  check_resource_count(request.Resources);
  const Tags tags = check_tags(call, request.Tags);
  if (tags.empty()) throw missing_parameter("Tag");
  std::vector<std::string_view> types;
  for (const std::string& id : request.Resources) types.push_back(check_resource(call, id));
  check_dry_run(request.DryRun);
  const auto group = tags.find(std::string(kGroupTag));
  for (std::size_t i = 0; i < types.size(); ++i) {
    put_tags(call, request.Resources[i], types[i], tags);
    if (types[i] == "instance" && group != tags.end()) set_group(call, request.Resources[i], group->second);
  }
}

// Without tags: all of them, except reserved ones.
void delete_tags_of(Call& call, const std::string& id, const std::optional<std::vector<Tag>>& tags) {
  const Tags existing = tags_of(call, id);
  for (const auto& [key, value] : existing) {
    const bool named = tags && std::any_of(tags->begin(), tags->end(), [&](const Tag& tag) {
                         return tag.Key == key && (!tag.Value || *tag.Value == value);
                       });
    if (tags ? !named : is_reserved_tag(key)) continue;
    call.tx.exec("DELETE FROM ec2_tags WHERE account = $1 AND region = $2 AND resource = $3 AND key = $4",
                 call.caller.account, call.caller.region, id, key);
    if (key == kGroupTag && resource_type_of(id) == "instance") set_group(call, id, "");
  }
}

void delete_tags(Call& call, const DeleteTagsRequest& request) {
  check_resource_count(request.Resources);
  for (const Tag& tag : request.Tags.value_or(std::vector<Tag>())) {
    if (is_reserved_tag(tag.Key.value_or("")) && call.caller.service.empty()) {
      throw invalid_value("Tag keys starting with 'aws:' are reserved for internal use");
    }
  }
  for (const std::string& id : request.Resources) check_resource(call, id);
  check_dry_run(request.DryRun);
  for (const std::string& id : request.Resources) delete_tags_of(call, id, request.Tags);
}

DescribeTagsResult describe_tags(Call& call, const DescribeTagsRequest& request) {
  check_filters(request.Filters, kTagFilters);
  const Page page = read_list_page(request.MaxResults, request.NextToken);
  check_dry_run(request.DryRun);
  auto tags = call.tx
                  .query("SELECT key, resource, type, value FROM ec2_tags WHERE account = $1 AND region = $2 "
                         "ORDER BY resource, key",
                         call.caller.account, call.caller.region)
                  .all([](const store::Row& row) {
                    return TagDescription{row.str(0), row.str(1), row.str(2), row.str(3)};
                  });
  std::erase_if(tags, [&](const TagDescription& tag) {
    return !passes(request.Filters, {{*tag.Key, *tag.Value}}, [&](std::string_view name) {
      if (name == "key") return as_values(tag.Key);
      if (name == "resource-id") return as_values(tag.ResourceId);
      return as_values(name == "value" ? tag.Value : tag.ResourceType);
    });
  });
  DescribeTagsResult result;
  result.NextToken = cut_list(tags, page, [](const TagDescription& tag) { return *tag.ResourceId + "/" + *tag.Key; });
  result.Tags = std::move(tags);
  return result;
}

}  // namespace

std::vector<Operation> tag_operations() {
  return {operation<&create_tags>("CreateTags", Access::Write), operation<&delete_tags>("DeleteTags", Access::Write),
          operation<&describe_tags>("DescribeTags", Access::Read)};
}

}  // namespace services::ec2
