// SPDX-License-Identifier: Apache-2.0
// Features of task definitions that Stoker does not support. They are rejected by name, so that no task runs
// that silently lacks them. docs/compatibility.md has the same list.
#include "services/ecs/definitions/check_task.h"
#include "services/ecs/definitions/given.h"
#include "services/ecs/errors.h"

namespace services::ecs {
namespace {

using namespace shapes::ecs;

void check_source(const Volume& volume) {
  if (volume.efsVolumeConfiguration) throw unsupported("efsVolumeConfiguration", "there is no Elastic File System");
  if (volume.s3filesVolumeConfiguration) throw unsupported("s3filesVolumeConfiguration", "there is no S3 Files");
  if (volume.fsxWindowsFileServerVolumeConfiguration) {
    throw unsupported("fsxWindowsFileServerVolumeConfiguration", "there is no FSx");
  }
  if (volume.configuredAtLaunch.value_or(false)) {
    throw unsupported("configuredAtLaunch", "there is no Elastic Block Store");
  }
}

void check_log(const LogConfiguration& log) {
  if (log.logDriver == "awsfirelens") throw unsupported("The log driver awsfirelens", "there is no FireLens");
  if (given(log.secretOptions)) throw unsupported("secretOptions", "there is no Secrets Manager or Parameter Store");
}

void check_container(const ContainerDefinition& container) {
  if (container.repositoryCredentials) throw unsupported("repositoryCredentials", "there is no Secrets Manager");
  if (given(container.secrets)) throw unsupported("secrets", "there is no Secrets Manager or Parameter Store");
  if (container.firelensConfiguration) throw unsupported("firelensConfiguration", "there is no FireLens");
  if (given(container.credentialSpecs)) throw unsupported("credentialSpecs", "there is no Active Directory");
  if (container.logConfiguration) check_log(*container.logConfiguration);
  if (container.dockerSecurityOptions) {
    for (const std::string& option : *container.dockerSecurityOptions) {
      if (option.starts_with("credentialspec:")) {
        throw unsupported("The security option credentialspec", "there is no Active Directory");
      }
    }
  }
  if (!container.resourceRequirements) return;
  for (const ResourceRequirement& requirement : *container.resourceRequirements) {
    if (requirement.type != "GPU") throw unsupported(requirement.type, "Amazon has ended Elastic Inference");
  }
}

}  // namespace

void check_available(const RegisterTaskDefinitionRequest& request) {
  for (const ContainerDefinition& container : request.containerDefinitions) check_container(container);
  if (request.volumes) {
    for (const Volume& volume : *request.volumes) check_source(volume);
  }
  if (request.proxyConfiguration) throw unsupported("proxyConfiguration", "there is no App Mesh");
  if (given(request.inferenceAccelerators)) {
    throw unsupported("inferenceAccelerators", "Amazon has ended Elastic Inference");
  }
  if (request.enableFaultInjection.value_or(false)) {
    throw unsupported("enableFaultInjection", "there is no Fault Injection Service");
  }
  if (request.runtimePlatform && request.runtimePlatform->operatingSystemFamily.value_or("LINUX") != "LINUX") {
    throw unsupported(*request.runtimePlatform->operatingSystemFamily, "machines are Linux");
  }
}

}  // namespace services::ecs
