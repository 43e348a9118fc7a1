// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "services/ecs/arn.h"
#include "services/ecs/definitions/check_task.h"
#include "services/ecs/errors.h"

namespace services::ecs {
namespace {

using namespace shapes::ecs;

void check_docker_volume(const DockerVolumeConfiguration& docker) {
  // Amazon's guide has 'false'; ECS answers with this text, and accepts 'true'.
  if (docker.scope.value_or("") == "task" && docker.autoprovision == false) {
    throw client_error(
        "When 'scope' parameter is 'task', 'autoprovision' must either not be specified or set to 'True'.");
  }
  if (docker.driver && docker.driver->empty()) {
    throw client_error("volume.dockerVolumeConfiguration.driver should not be null or empty.");
  }
}

void check_volume(const Volume& volume) {
  if (!volume.name || volume.name->empty()) throw client_error("Volume.name should not be null or empty.");
  if (!plain_name(*volume.name)) throw client_error("Volume.name contains invalid characters.");
  const int kinds = volume.host.has_value() + volume.dockerVolumeConfiguration.has_value() +
                    volume.efsVolumeConfiguration.has_value() + volume.s3filesVolumeConfiguration.has_value() +
                    volume.fsxWindowsFileServerVolumeConfiguration.has_value();
  if (kinds > 1) {
    throw client_error("Volume '" + *volume.name +
                       "' should have only one configuration: a host path, or a Docker, "
                       "EFS, S3 Files or FSx volume.");
  }
  if (volume.host && volume.host->sourcePath && volume.host->sourcePath->empty()) {
    throw client_error("host.sourcePath should not be blank.");
  }
  if (volume.dockerVolumeConfiguration) check_docker_volume(*volume.dockerVolumeConfiguration);
}

void check_mount_points(const ContainerDefinition& container, const std::set<std::string>& volumes) {
  if (!container.mountPoints) return;
  for (const MountPoint& mount : *container.mountPoints) {
    // Amazon's text has 'null', too.
    const std::string name = mount.sourceVolume.value_or("null");
    if (!volumes.contains(name)) throw client_error("Unknown volume '" + name + "'.");
    if (!mount.containerPath || mount.containerPath->empty()) {
      throw client_error("MountPoint.containerPath should not be null or empty.");
    }
  }
}

}  // namespace

void check_volumes(const RegisterTaskDefinitionRequest& request) {
  std::set<std::string> names;
  if (request.volumes) {
    for (const Volume& volume : *request.volumes) {
      check_volume(volume);
      if (!names.insert(*volume.name).second) {
        throw client_error("Volume names must be unique within a task definition.");
      }
    }
  }
  for (const ContainerDefinition& container : request.containerDefinitions) check_mount_points(container, names);
}

}  // namespace services::ecs
