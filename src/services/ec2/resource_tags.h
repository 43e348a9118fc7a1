// SPDX-License-Identifier: Apache-2.0
// Tags of instances, launch templates and records: rows of one table.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/call.h"
#include "services/ec2/filters.h"
#include "shapes/ec2/instance.h"

namespace services::ec2 {

// Auto Scaling's tag of an instance, which makes it a member of the group.
inline constexpr std::string_view kGroupTag = "aws:autoscaling:groupName";
inline constexpr std::string_view kAutoScaling = "autoscaling.amazonaws.com";

// Of a resource of the caller's account and region.
Tags tags_of(Call& call, const std::string& id);
// By id: those of all resources of a type ("instance").
std::map<std::string, Tags> tags_of_type(Call& call, std::string_view type);
// Adds and replaces. Rejects more than 50 tags.
void put_tags(Call& call, const std::string& id, std::string_view type, const Tags& tags);
void delete_all_tags(Call& call, const std::string& id);

// Rejects invalid tags, and reserved ones unless a service of ours sets them.
Tags check_tags(const Call& call, const std::vector<shapes::ec2::Tag>& tags);
// The checked tags for a type of resource. Rejects tags for types other than those of `allowed`.
using TagSpecifications = std::optional<std::vector<shapes::ec2::TagSpecification>>;
Tags requested_tags(const Call& call, const TagSpecifications& specifications, std::string_view type,
                    std::initializer_list<std::string_view> allowed = {});

std::vector<shapes::ec2::Tag> shown_tags(const Tags& tags);

}  // namespace services::ec2
