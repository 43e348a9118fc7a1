// SPDX-License-Identifier: Apache-2.0
// When the images of containers are pulled, by the rules of Amazon's agent (ECS_IMAGE_PULL_BEHAVIOR).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace agent::drivers {

enum class ImagePull {
  Default,       // for each container; the image of the machine where that fails
  Always,        // for each container
  Once,          // unless a task of this machine has pulled it
  PreferCached,  // unless the machine has it
};

// "default", "always", "once", "prefer-cached"
std::optional<ImagePull> parse_image_pull(std::string_view text);

// "registry:5000/name:tag", "name@sha256:...", "name" (tag "latest").
struct ImageName {
  std::string repository;
  std::string tag;  // or a digest

  static ImageName parse(const std::string& image);
  bool by_digest() const { return tag.starts_with("sha256:"); }
  std::string registry() const;  // "registry:5000"; "docker.io" where the name has none
};

// How long a machine that has an image waits for the registry's first answer about it.
inline constexpr base::Duration kRegistryAnswerTimeout = std::chrono::seconds(10);
// After a registry did not answer, images that the machine has are used without another attempt for this long.
inline constexpr base::Duration kUnreachableRegistryPause = std::chrono::minutes(5);

// Whether the error is a registry's answer about this image, and not a failure to reach the registry.
bool is_registry_answer(const std::string& pull_error);

// Registries that did not answer.
class UnreachableRegistries {
 public:
  void add(const std::string& registry, base::Time now);
  void remove(const std::string& registry) { since_.erase(registry); }
  bool contains(const std::string& registry, base::Time now) const;

 private:
  std::map<std::string, base::Time> since_;
};

// Images that a task of this machine has pulled, kept in a file.
class PulledImages {
 public:
  explicit PulledImages(std::string file);  // "": not kept

  bool contains(const std::string& image) const;
  void add(const std::string& image);

 private:
  const std::string file_;
  std::vector<std::string> images_;  // the oldest first
};

}  // namespace agent::drivers
