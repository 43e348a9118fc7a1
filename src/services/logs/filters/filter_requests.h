// SPDX-License-Identifier: Apache-2.0
// What the operations of both kinds of filters check alike.
#pragma once

#include <string>

#include "services/call.h"
#include "services/logs/group.h"

namespace services::logs {

// Throws InvalidParameterException.
void check_filter_name(const std::string& name);
// Throws InvalidOperationException where the group's class has no filters.
void check_filters_allowed(const Group& group);
// Throws LimitExceededException where this filter would be one too many with a regular expression.
void check_regex_limit(Call& call, const Group& group, const std::string& name, bool has_regex);

}  // namespace services::logs
