// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/resource_tags.h"

#include <algorithm>

#include "services/ec2/errors.h"
#include "services/tags.h"

namespace services::ec2 {

using shapes::ec2::Tag;

Tags tags_of(Call& call, const std::string& id) {
  Tags tags;
  call.tx.query("SELECT key, value FROM ec2_tags WHERE account = $1 AND region = $2 AND resource = $3 ORDER BY key",
                call.caller.account, call.caller.region, id)
      .each([&](const store::Row& row) { tags[row.str(0)] = row.str(1); });
  return tags;
}

std::map<std::string, Tags> tags_of_type(Call& call, std::string_view type) {
  std::map<std::string, Tags> tags;
  call.tx.query("SELECT resource, key, value FROM ec2_tags WHERE account = $1 AND region = $2 AND type = $3 "
                "ORDER BY resource, key",
                call.caller.account, call.caller.region, type)
      .each([&](const store::Row& row) { tags[row.str(0)][row.str(1)] = row.str(2); });
  return tags;
}

void put_tags(Call& call, const std::string& id, std::string_view type, const Tags& tags) {
  Tags all = tags_of(call, id);
  for (const auto& [key, value] : tags) all[key] = value;
  const auto own = std::count_if(all.begin(), all.end(), [](const auto& tag) { return !is_reserved_tag(tag.first); });
  if (static_cast<std::size_t>(own) > kMaxTags) {
    throw wire::ApiError("TagLimitExceeded", "You have reached the maximum number of tags for this resource");
  }
  for (const auto& [key, value] : tags) {
    call.tx.exec("INSERT INTO ec2_tags (account, region, resource, type, key, value) VALUES ($1, $2, $3, $4, $5, $6) "
                 "ON CONFLICT (account, region, resource, key) DO UPDATE SET value = excluded.value",
                 call.caller.account, call.caller.region, id, type, key, value);
  }
}

void delete_all_tags(Call& call, const std::string& id) {
  call.tx.exec("DELETE FROM ec2_tags WHERE account = $1 AND region = $2 AND resource = $3", call.caller.account,
               call.caller.region, id);
}

Tags check_tags(const Call& call, const std::vector<Tag>& tags) {
  Tags checked;
  for (const Tag& tag : tags) {
    const std::string key = tag.Key.value_or(""), value = tag.Value.value_or("");
    if (key.empty()) throw invalid_value("Tag key cannot be empty");
    const TagProblems problems = find_tag_problems(key, value);
    if (problems.long_key) throw invalid_value("Tag key exceeds the maximum length of 128 characters");
    if (problems.long_value) throw invalid_value("Tag value exceeds the maximum length of 256 characters");
    if (is_reserved_tag(key) && call.caller.service.empty()) {
      throw invalid_value("Tag keys starting with 'aws:' are reserved for internal use");
    }
    if (!checked.emplace(key, value).second) throw invalid_value("Duplicate tag key '" + key + "' specified.");
  }
  return checked;
}

Tags requested_tags(const Call& call, const TagSpecifications& specifications, std::string_view type,
                    std::initializer_list<std::string_view> allowed) {
  Tags tags;
  if (!specifications) return tags;
  for (const auto& specification : *specifications) {
    const std::string of = specification.ResourceType.value_or("");
    if (of.empty()) throw missing_parameter("ResourceType");
    const Tags more = check_tags(call, specification.Tags.value_or(std::vector<Tag>()));
    if (of == type) {
      tags.insert(more.begin(), more.end());
    } else if (std::find(allowed.begin(), allowed.end(), of) == allowed.end()) {
      throw invalid_value("'" + of + "' is not a valid taggable resource type for this operation.");
    }
  }
  return tags;
}

std::vector<Tag> shown_tags(const Tags& tags) {
  std::vector<Tag> shown;
  for (const auto& [key, value] : tags) shown.push_back({key, value});
  return shown;
}

}  // namespace services::ec2
