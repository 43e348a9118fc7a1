// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/definitions/capabilities.h"

#include <algorithm>

#include "services/ecs/definitions/check_task.h"
#include "services/ecs/definitions/given.h"

namespace services::ecs {
namespace {

using namespace shapes::ecs;

// Attributes without repetition, in the order in which they were first needed. Which member needs which was
// observed in responses of Amazon's DescribeTaskDefinition; the versions of Docker's API are those that added
// the option of the member.
class Needs {
 public:
  void capability(std::string_view name) { add("com.amazonaws.ecs.capability." + std::string(name)); }
  void feature(std::string_view name) { add("ecs.capability." + std::string(name)); }
  void docker_api(std::string_view version) { capability("docker-remote-api." + std::string(version)); }
  std::vector<Attribute> take() { return std::move(attributes_); }

 private:
  void add(std::string name) {
    const bool known = std::any_of(attributes_.begin(), attributes_.end(),
                                   [&](const Attribute& attribute) { return attribute.name == name; });
    if (!known) attributes_.push_back({.name = std::move(name)});
  }
  std::vector<Attribute> attributes_;
};

void need_image(Needs& needs, const ContainerDefinition& container, bool has_role) {
  if (container.image->find(".dkr.ecr.") == std::string::npos) return;
  needs.capability("ecr-auth");
  if (has_role) needs.feature("execution-role-ecr-pull");
}

void need_log(Needs& needs, const ContainerDefinition& container, bool has_role) {
  if (!container.logConfiguration) return;
  const std::string& driver = container.logConfiguration->logDriver;
  needs.capability("logging-driver." + driver);
  needs.docker_api("1.19");
  if (driver == "awslogs" && has_role) needs.feature("execution-role-awslogs");
}

void need_health(Needs& needs, const ContainerDefinition& container) {
  if (!container.healthCheck) return;
  needs.feature("container-health-check");
  needs.docker_api(container.healthCheck->startPeriod ? "1.29" : "1.24");
}

void need_linux(Needs& needs, const ContainerDefinition& container) {
  if (!container.linuxParameters) return;
  const LinuxParameters& linux = *container.linuxParameters;
  if (linux.sharedMemorySize || given(linux.tmpfs)) needs.docker_api("1.22");
  if (linux.maxSwap || linux.swappiness) needs.docker_api("1.20");
  if (linux.initProcessEnabled.value_or(false)) needs.docker_api("1.25");
}

void need_security(Needs& needs, const ContainerDefinition& container) {
  if (container.privileged.value_or(false)) needs.capability("privileged-container");
  if (!container.dockerSecurityOptions) return;
  for (const std::string& option : *container.dockerSecurityOptions) {
    if (option.starts_with("apparmor:")) needs.capability("apparmor");
    if (option.starts_with("label:")) needs.capability("selinux");
  }
}

// Options that later versions of Docker's API added.
void need_docker(Needs& needs, const ContainerDefinition& container) {
  if (given(container.hostname) || given(container.user) || given(container.workingDirectory) ||
      container.disableNetworking.value_or(false) || container.privileged.value_or(false) ||
      container.readonlyRootFilesystem.value_or(false) || given(container.dnsServers) ||
      given(container.dnsSearchDomains) || given(container.extraHosts) || given(container.dockerSecurityOptions)) {
    needs.docker_api("1.17");
  }
  if (given(container.dockerLabels) || given(container.ulimits)) needs.docker_api("1.18");
  if (container.memoryReservation) needs.docker_api("1.21");
  if (given(container.systemControls)) needs.docker_api("1.24");
}

void need_container(Needs& needs, const ContainerDefinition& container, bool has_role) {
  need_image(needs, container, has_role);
  need_log(needs, container, has_role);
  need_health(needs, container);
  need_docker(needs, container);
  need_linux(needs, container);
  need_security(needs, container);
  if (given(container.environmentFiles)) needs.feature("env-files.s3");
  if (given(container.dependsOn) || container.startTimeout) needs.feature("container-ordering");
  if (container.restartPolicy && container.restartPolicy->enabled) needs.feature("container-restart-policy");
  if (!container.portMappings) return;
  for (const PortMapping& mapping : *container.portMappings) {
    if (mapping.containerPortRange) needs.feature("network.container-port-range");
  }
}

void need_volumes(Needs& needs, const RegisterTaskDefinitionRequest& request) {
  if (!request.volumes) return;
  for (const Volume& volume : *request.volumes) {
    if (!volume.dockerVolumeConfiguration) continue;
    needs.feature("docker-plugin." + volume.dockerVolumeConfiguration->driver.value_or("local"));
    needs.docker_api("1.25");
  }
}

}  // namespace

std::vector<std::string> compatibilities(const RegisterTaskDefinitionRequest& request) {
  const std::string mode = network_mode(request);
  std::vector<std::string> fits;
  if (mode != "awsvpc") fits.push_back("EXTERNAL");
  if (!request.ephemeralStorage) fits.push_back("EC2");
  if ((mode == "awsvpc" || mode == "host") && request.cpu && request.memory) fits.push_back("MANAGED_INSTANCES");
  if (!why_not_fargate(request)) fits.push_back("FARGATE");
  return fits;
}

std::vector<Attribute> required_attributes(const RegisterTaskDefinitionRequest& request) {
  Needs needs;
  const bool has_role = request.executionRoleArn.has_value();
  const std::string mode = network_mode(request);
  for (const ContainerDefinition& container : request.containerDefinitions) need_container(needs, container, has_role);
  need_volumes(needs, request);
  if (request.taskRoleArn) needs.capability(mode == "host" ? "task-iam-role-network-host" : "task-iam-role");
  if (request.pidMode || request.ipcMode) needs.feature("pid-ipc-namespace-sharing");
  if (mode == "awsvpc") {
    needs.docker_api("1.18");
    needs.feature("task-eni");
  }
  return needs.take();
}

}  // namespace services::ecs
