// SPDX-License-Identifier: Apache-2.0
// Tags of scalable targets.
#pragma once

#include <map>
#include <string>

namespace services::application_autoscaling {

using TagMap = std::map<std::string, std::string>;

// Adds tags, replacing values. Throws for invalid tags, and for more than 50 in all.
TagMap with_tags(TagMap tags, const TagMap& more);

}  // namespace services::application_autoscaling
