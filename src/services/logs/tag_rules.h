// SPDX-License-Identifier: Apache-2.0
// What Logs requires of tags.
#pragma once

#include <map>
#include <string>

namespace services::logs {

// Throws InvalidParameterException. The model has checked the lengths.
void check_tags(const std::map<std::string, std::string>& tags);

}  // namespace services::logs
