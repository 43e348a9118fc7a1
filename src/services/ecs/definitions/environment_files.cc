// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/definitions/environment_files.h"

#include "services/arn.h"

namespace services::ecs {
namespace {

constexpr std::size_t kMaxEnvironmentFiles = 10;  // Amazon's

// What Amazon's agent reads: arn:aws:s3:::bucket/key.
bool is_object(const services::Arn& arn) {
  const std::size_t slash = arn.resource.find('/');
  return arn.service == "s3" && arn.region.empty() && arn.account.empty() && slash != 0 && slash != arn.resource.npos &&
         slash + 1 < arn.resource.size();
}

}  // namespace

// The first two texts are Amazon's. Amazon rejects the others, too, but its words are not known.
std::optional<std::string> why_not_files(const std::optional<std::vector<shapes::ecs::EnvironmentFile>>& files) {
  if (!files) return std::nullopt;
  if (files->size() > kMaxEnvironmentFiles) {
    return "The maximum number of environment files was exceeded. Specify ten or less and try again.";
  }
  for (const shapes::ecs::EnvironmentFile& file : *files) {
    const auto arn = services::parse_arn(file.value);
    if (!arn || arn->partition.empty() || arn->service.empty() || arn->resource.empty()) return "Invalid arn syntax.";
    if (!is_object(*arn)) return "The environment file " + file.value + " is not the ARN of an Amazon S3 object.";
    if (!file.value.ends_with(".env")) return "The environment file " + file.value + " must have a .env file extension.";
  }
  return std::nullopt;
}

}  // namespace services::ecs
