// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/reconciliation/image_digests.h"

#include <algorithm>

#include "services/ecs/tasks/report.h"
#include "services/shape_json.h"

namespace services::ecs {
namespace {

using shapes::ecs::ContainerDefinition;
using shapes::ecs::ContainerImage;

bool has_tag_to_resolve(const ContainerDefinition& container) {
  if (container.versionConsistency == "disabled") return false;
  return container.image && container.image->find('@') == std::string::npos;
}

// Reported by the oldest task that has one.
std::optional<std::string> reported_digest(const std::vector<Report>& reports, const std::string& container) {
  for (const Report& report : reports) {
    for (const shapes::ecs::ContainerStateChange& change : report.containers) {
      if (change.containerName == container && change.imageDigest) return change.imageDigest;
    }
  }
  return std::nullopt;
}

// Containers of the PRIMARY deployment whose digests are not among `images`.
std::vector<const ContainerDefinition*> open_containers(const ServiceSnapshot& snapshot,
                                                        const std::vector<ContainerImage>& images) {
  std::vector<const ContainerDefinition*> open;
  const auto number = static_cast<std::int64_t>(snapshot.primary().number);
  const StoredTaskDefinition* definition = snapshot.definition_of(number);
  if (!definition) return open;
  for (const ContainerDefinition& container : *definition->body.containerDefinitions) {
    const bool known = std::ranges::count(images, container.name, &ContainerImage::containerName) > 0;
    if (!known && has_tag_to_resolve(container)) open.push_back(&container);
  }
  return open;
}

}  // namespace

bool is_resolving(const ServiceSnapshot& snapshot) {
  const state::Deployment& primary = snapshot.primary();
  if (primary.rollout != state::Rollout::InProgress) return false;
  const auto runs = [&](const state::ServiceTask& task) {
    return task.deployment == primary.number && task.known == model::TaskStatus::Running;
  };
  if (std::ranges::any_of(snapshot.tasks, runs)) return false;
  return !open_containers(snapshot, from_json<DeploymentBody>(primary.body_json).containerImages).empty();
}

std::vector<ContainerImage> resolve_images(const ServiceSnapshot& snapshot) {
  const state::Deployment& primary = snapshot.primary();
  std::vector<ContainerImage> images = from_json<DeploymentBody>(primary.body_json).containerImages;
  const std::vector<const ContainerDefinition*> open = open_containers(snapshot, images);
  if (open.empty()) return {};
  std::vector<Report> reports;
  for (const state::ServiceTask& task : snapshot.tasks) {
    if (task.deployment == primary.number && task.report_json) reports.push_back(report_of(task));
  }
  bool resolved = false;
  for (const ContainerDefinition* container : open) {
    auto digest = reported_digest(reports, *container->name);
    if (!digest) continue;
    images.push_back({.containerName = container->name, .imageDigest = std::move(digest), .image = container->image});
    resolved = true;
  }
  return resolved ? images : std::vector<ContainerImage>();
}

}  // namespace services::ecs
