// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/image_pull.h"

#include <algorithm>
#include <fstream>

#include "agent/drivers/shim_folder.h"
#include "base/bytes.h"
#include "base/log.h"

namespace agent::drivers {
namespace {

constexpr std::size_t kMaxUnreachable = 64;
constexpr std::size_t kMaxPulledImages = 4096;

// Docker's rule: the first component names a registry if it could be a host.
bool is_host(std::string_view component) {
  return component == "localhost" || component.find_first_of(".:") != component.npos;
}

}  // namespace

std::optional<ImagePull> parse_image_pull(std::string_view text) {
  if (text == "default") return ImagePull::Default;
  if (text == "always") return ImagePull::Always;
  if (text == "once") return ImagePull::Once;
  if (text == "prefer-cached") return ImagePull::PreferCached;
  return std::nullopt;
}

ImageName ImageName::parse(const std::string& image) {
  const std::size_t at = image.find('@');
  if (at != image.npos) return {image.substr(0, at), image.substr(at + 1)};
  const std::size_t colon = image.rfind(':');
  const std::size_t slash = image.rfind('/');
  const bool has_tag = colon != image.npos && (slash == image.npos || colon > slash);
  return has_tag ? ImageName{image.substr(0, colon), image.substr(colon + 1)} : ImageName{image, "latest"};
}

std::string ImageName::registry() const {
  const std::size_t slash = repository.find('/');
  const std::string first = slash == repository.npos ? "" : repository.substr(0, slash);
  return is_host(first) ? first : "docker.io";
}

bool is_registry_answer(const std::string& pull_error) {
  const std::string text = base::to_lower(pull_error);
  // Phrases of Docker, Podman and containerd. "no such host" is none of them.
  constexpr std::string_view kAnswers[] = {"not found",    "manifest unknown",  "name unknown",    "denied",
                                           "unauthorized", "invalid reference", "toomanyrequests", "no matching manifest"};
  return std::ranges::any_of(kAnswers, [&](std::string_view words) { return text.find(words) != text.npos; });
}

void UnreachableRegistries::add(const std::string& registry, base::Time now) {
  std::erase_if(since_, [&](const auto& entry) { return !contains(entry.first, now); });
  if (since_.size() < kMaxUnreachable) since_[registry] = now;
}

bool UnreachableRegistries::contains(const std::string& registry, base::Time now) const {
  const auto found = since_.find(registry);
  return found != since_.end() && now >= found->second && now < found->second + kUnreachableRegistryPause;
}

PulledImages::PulledImages(std::string file) : file_(std::move(file)) {
  std::ifstream stored(file_);
  for (std::string line; images_.size() < kMaxPulledImages && std::getline(stored, line);) images_.push_back(line);
}

bool PulledImages::contains(const std::string& image) const {
  return std::ranges::find(images_, image) != images_.end();
}

void PulledImages::add(const std::string& image) {
  if (contains(image) || image.find('\n') != image.npos) return;
  if (images_.size() == kMaxPulledImages) images_.erase(images_.begin());
  images_.push_back(image);
  if (file_.empty()) return;
  std::string text;
  for (const std::string& one : images_) text += one + "\n";
  // Without it, the next agent pulls the image once more.
  const base::Result<bool> written = write_durably(file_, text);
  if (!written) base::log_warn("list of pulled images not written", {{"error", written.error()}});
}

}  // namespace agent::drivers
