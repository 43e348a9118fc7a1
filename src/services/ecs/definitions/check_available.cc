// SPDX-License-Identifier: Apache-2.0
// What a task definition may ask of Amazon and Stoker has not: refused by its name, so that
// nobody runs a task that silently lacks it. docs/compatibility.md has the same list.
#include "services/ecs/definitions/check_task.h"
#include "services/ecs/errors.h"

namespace services::ecs {
namespace {

using namespace shapes::ecs;

template <class T>
bool given(const std::optional<std::vector<T>>& list) {
  return list && !list->empty();
}

void check_volume(const Volume& volume) {
  if (volume.efsVolumeConfiguration) throw not_here("efsVolumeConfiguration", "there is no Elastic File System");
  if (volume.s3filesVolumeConfiguration) throw not_here("s3filesVolumeConfiguration", "there is no S3 Files");
  if (volume.fsxWindowsFileServerVolumeConfiguration) {
    throw not_here("fsxWindowsFileServerVolumeConfiguration", "there is no FSx");
  }
  if (volume.configuredAtLaunch.value_or(false)) {
    throw not_here("configuredAtLaunch", "there is no Elastic Block Store");
  }
}

void check_log(const LogConfiguration& log) {
  if (log.logDriver == "awsfirelens") throw not_here("The log driver awsfirelens", "there is no FireLens");
  if (given(log.secretOptions)) throw not_here("secretOptions", "there is no Secrets Manager or Parameter Store");
}

void check_container(const ContainerDefinition& container) {
  if (container.repositoryCredentials) throw not_here("repositoryCredentials", "there is no Secrets Manager");
  if (given(container.secrets)) throw not_here("secrets", "there is no Secrets Manager or Parameter Store");
  if (container.firelensConfiguration) throw not_here("firelensConfiguration", "there is no FireLens");
  if (given(container.credentialSpecs)) throw not_here("credentialSpecs", "there is no Active Directory");
  if (container.logConfiguration) check_log(*container.logConfiguration);
  if (container.dockerSecurityOptions) {
    for (const std::string& option : *container.dockerSecurityOptions) {
      if (option.starts_with("credentialspec:")) {
        throw not_here("The security option credentialspec", "there is no Active Directory");
      }
    }
  }
  if (!container.resourceRequirements) return;
  for (const ResourceRequirement& requirement : *container.resourceRequirements) {
    if (requirement.type != "GPU") throw not_here(requirement.type, "Amazon has ended Elastic Inference");
  }
}

}  // namespace

void check_available(const RegisterTaskDefinitionRequest& request) {
  for (const ContainerDefinition& container : request.containerDefinitions) check_container(container);
  if (request.volumes) {
    for (const Volume& volume : *request.volumes) check_volume(volume);
  }
  if (request.proxyConfiguration) throw not_here("proxyConfiguration", "there is no App Mesh");
  if (given(request.inferenceAccelerators)) {
    throw not_here("inferenceAccelerators", "Amazon has ended Elastic Inference");
  }
  if (request.enableFaultInjection.value_or(false)) {
    throw not_here("enableFaultInjection", "there is no Fault Injection Service");
  }
  if (request.runtimePlatform && request.runtimePlatform->operatingSystemFamily.value_or("LINUX") != "LINUX") {
    throw not_here(*request.runtimePlatform->operatingSystemFamily, "machines are Linux");
  }
}

}  // namespace services::ecs
