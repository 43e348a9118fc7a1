// SPDX-License-Identifier: Apache-2.0
// The files that AWS clients share, ~/.aws/config and ~/.aws/credentials, and files of the same format.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace client {

// Settings by their names in lower case; of a nested block: "ecs.endpoint_url".
using Section = std::map<std::string, std::string>;
// By titles: "default", "profile dev", "services dev".
using Sections = std::map<std::string, Section>;

// Any bytes: what is no setting is skipped, as AWS clients do. The last of two equal settings counts.
Sections parse_shared_file(std::string_view text);
// Empty if there is no such file, or if it is larger than kMaxSharedFile.
Sections read_shared_file(const std::string& path);

inline constexpr std::size_t kMaxSharedFile = 1024 * 1024;

// The settings of a profile: [NAME] of a credentials file, [profile NAME] or [default] of a config file.
const Section* find_profile(const Sections& sections, const std::string& name);

}  // namespace client
