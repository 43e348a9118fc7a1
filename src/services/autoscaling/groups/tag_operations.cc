// SPDX-License-Identifier: Apache-2.0
// Tags of groups: rules, filters and operations.
#include <algorithm>

#include "services/autoscaling/errors.h"
#include "services/autoscaling/groups/group_tags.h"
#include "services/autoscaling/groups/operations.h"
#include "services/page.h"
#include "services/tags.h"
#include "shapes/autoscaling/tag.h"

namespace services::autoscaling {
namespace {

using namespace shapes::autoscaling;

constexpr std::int32_t kMaxTagPage = 100, kTagPage = 50;
constexpr char kTagResource[] = "auto-scaling-group";

void check_tag(const Tag& tag) {
  const TagProblems problems = find_tag_problems(tag.Key, tag.Value.value_or(""));
  if (problems.empty_key || problems.long_key) throw validation_error("The tag key must have 1 to 128 characters");
  if (problems.long_value) throw validation_error("The tag value must have at most 256 characters");
  if (is_reserved_tag(tag.Key)) throw validation_error("Your account is not allowed to create tag " + tag.Key);
  check_text("Key", tag.Key);
  check_text("Value", tag.Value.value_or(""));
}

bool contains(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// One filter against one tag.
bool matches_filter(const Group& group, const GroupTag& tag, const Filter& filter) {
  const std::string name = filter.Name.value_or("");
  const auto values = filter.Values.value_or(std::vector<std::string>());
  if (name == "auto-scaling-group") return contains(values, group.name);
  if (name == "key" || name == "tag-key") return contains(values, tag.key);
  if (name == "value" || name == "tag-value") return contains(values, tag.value);
  if (name == "propagate-at-launch") return contains(values, tag.propagate ? "true" : "false");
  return name.starts_with("tag:") && tag.key == name.substr(4) && contains(values, tag.value);
}

void check_tag_filters(const std::vector<Filter>& filters) {
  constexpr std::string_view kNames[] = {"auto-scaling-group", "key", "value", "propagate-at-launch"};
  for (const Filter& filter : filters) {
    const std::string name = filter.Name.value_or("");
    if (std::ranges::find(kNames, name) != std::end(kNames)) continue;
    throw validation_error("Filter type " + name +
                           " is not correct. Allowed Filter types are: auto-scaling-group key value "
                           "propagate-at-launch");
  }
}

// The group of a tag in a request.
Group find_tagged_group(Call& call, const Tag& tag) {
  if (tag.ResourceType && *tag.ResourceType != kTagResource) {
    throw validation_error("The ResourceType must be auto-scaling-group");
  }
  return find_group(call, tag.ResourceId.value_or(""));
}

void create_or_update_tags(Call& call, const CreateOrUpdateTagsType& request) {
  for (const Tag& tag : request.Tags) {
    Group group = find_tagged_group(call, tag);
    add_tags(group.settings, {tag});
    save_group(call.tx, group);
  }
}

void delete_tags(Call& call, const DeleteTagsType& request) {
  for (const Tag& tag : request.Tags) {
    Group group = find_tagged_group(call, tag);
    std::erase_if(group.settings.tags,
                  [&](const GroupTag& one) { return one.key == tag.Key && (!tag.Value || one.value == *tag.Value); });
    save_group(call.tx, group);
  }
}

// A page continues after the last tag: "<group>\n<key>", which no name contains.
TagsType describe_tags(Call& call, const DescribeTagsType& request) {
  const Page page = read_records_page(request.MaxRecords, request.NextToken, kMaxTagPage, kTagPage);
  const auto filters = request.Filters.value_or(std::vector<Filter>());
  check_tag_filters(filters);
  std::vector<TagDescription> found;
  std::vector<std::string> keys;
  const std::string first = page.after.substr(0, page.after.find('\n'));
  for (const Group& group : list_groups(call.tx, call.caller.account, call.caller.region, "", INT64_MAX)) {
    if (group.name < first) continue;
    for (const GroupTag& tag : group.settings.tags) {
      const std::string key = group.name + "\n" + tag.key;
      const bool is_before = group.name == first && key <= page.after;
      const bool matches = std::all_of(filters.begin(), filters.end(),
                                       [&](const Filter& one) { return matches_filter(group, tag, one); });
      if (is_before || !matches) continue;
      found.push_back(show_tag(group, tag));
      keys.push_back(key);
    }
    if (keys.size() > static_cast<std::size_t>(page.size)) break;
  }
  TagsType answer;
  answer.NextToken = cut_page(keys, page);
  found.resize(keys.size());
  answer.Tags = std::move(found);
  return answer;
}

}  // namespace

void add_tags(GroupSettings& settings, const std::vector<Tag>& tags) {
  for (const Tag& tag : tags) {
    check_tag(tag);
    const GroupTag added{tag.Key, tag.Value.value_or(""), tag.PropagateAtLaunch.value_or(false)};
    auto place = std::lower_bound(settings.tags.begin(), settings.tags.end(), added,
                                  [](const GroupTag& a, const GroupTag& b) { return a.key < b.key; });
    if (place != settings.tags.end() && place->key == added.key) {
      *place = added;
    } else {
      settings.tags.insert(place, added);
    }
  }
  if (settings.tags.size() > kMaxTags) throw validation_error("You tried to create more tags than allowed");
}

TagDescription show_tag(const Group& group, const GroupTag& tag) {
  return {.ResourceId = group.name,
          .ResourceType = kTagResource,
          .Key = tag.key,
          .Value = tag.value,
          .PropagateAtLaunch = tag.propagate};
}

void check_group_filters(const std::vector<Filter>& filters) {
  for (const Filter& filter : filters) {
    const std::string name = filter.Name.value_or("");
    if (name == "tag-key" || name == "tag-value" || name.starts_with("tag:")) continue;
    throw validation_error("Filter type " + name +
                           " is not correct. Allowed Filter types are: tag-key tag-value tag:<key>");
  }
}

bool matches_tag_filters(const Group& group, const std::vector<Filter>& filters) {
  return std::all_of(filters.begin(), filters.end(), [&](const Filter& filter) {
    return std::any_of(group.settings.tags.begin(), group.settings.tags.end(),
                       [&](const GroupTag& tag) { return matches_filter(group, tag, filter); });
  });
}

std::vector<Operation> tag_operations() {
  return {operation<&create_or_update_tags>("CreateOrUpdateTags", Access::Write),
          operation<&delete_tags>("DeleteTags", Access::Write),
          operation<&describe_tags>("DescribeTags", Access::Read)};
}

}  // namespace services::autoscaling
