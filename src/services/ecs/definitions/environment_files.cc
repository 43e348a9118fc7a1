// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/definitions/environment_files.h"

#include <array>
#include <string_view>

namespace services::ecs {
namespace {

constexpr std::size_t kMaxEnvironmentFiles = 10;  // Amazon's

// "arn:<partition>:<service>:<region>:<account>:<resource>"; the last part may have colons of its own.
std::optional<std::array<std::string_view, 6>> split_object_arn(std::string_view arn) {
  std::array<std::string_view, 6> parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t colon = i + 1 < parts.size() ? arn.find(':') : arn.npos;
    if (i + 1 < parts.size() && colon == arn.npos) return std::nullopt;
    parts[i] = arn.substr(0, colon);
    if (colon != arn.npos) arn.remove_prefix(colon + 1);
  }
  if (parts[0] != "arn" || parts[1].empty() || parts[2].empty() || parts[5].empty()) return std::nullopt;
  return parts;
}

// What Amazon's agent reads: arn:aws:s3:::bucket/key.
bool is_object(const std::array<std::string_view, 6>& arn) {
  const std::size_t slash = arn[5].find('/');
  return arn[2] == "s3" && arn[3].empty() && arn[4].empty() && slash != 0 && slash + 1 < arn[5].size() &&
         slash != arn[5].npos;
}

}  // namespace

// The first two texts are Amazon's. Amazon rejects the others, too, but its words are not known.
std::optional<std::string> why_not_files(const std::optional<std::vector<shapes::ecs::EnvironmentFile>>& files) {
  if (!files) return std::nullopt;
  if (files->size() > kMaxEnvironmentFiles) {
    return "The maximum number of environment files was exceeded. Specify ten or less and try again.";
  }
  for (const shapes::ecs::EnvironmentFile& file : *files) {
    const auto arn = split_object_arn(file.value);
    if (!arn) return "Invalid arn syntax.";
    if (!is_object(*arn)) return "The environment file " + file.value + " is not the ARN of an Amazon S3 object.";
    if (!file.value.ends_with(".env")) return "The environment file " + file.value + " must have a .env file extension.";
  }
  return std::nullopt;
}

}  // namespace services::ecs
