// SPDX-License-Identifier: Apache-2.0
// What PutMetricAlarm and PutCompositeAlarm reject, in Amazon's words.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shapes/cloudwatch/alarm.h"

namespace services::cloudwatch {

// Throw wire::ApiError, mostly ValidationError.
void check_metric_alarm(const shapes::cloudwatch::PutMetricAlarmInput& input, std::string_view account);
void check_suppressor(const shapes::cloudwatch::PutCompositeAlarmInput& input);
void check_composite_actions(const shapes::cloudwatch::PutCompositeAlarmInput& input);

// A database column of text has no zero bytes.
void check_storable(const std::string& text, const char* name);

using TagMap = std::map<std::string, std::string>;
// The tags of a resource after these were added.
TagMap add_tags(TagMap tags, const std::optional<std::vector<shapes::cloudwatch::Tag>>& more);

}  // namespace services::cloudwatch
