// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "services/ecs/definitions/check_task.h"
#include "services/ecs/definitions/environment_files.h"
#include "services/ecs/definitions/given.h"
#include "services/ecs/errors.h"

namespace services::ecs {
namespace {

using namespace shapes::ecs;

constexpr std::size_t kMaxImage = 255;
// Docker's minimum; Amazon's guide has 6 MiB for newer engines and 4 for older ones.
constexpr std::int32_t kLeastMemory = 4;
constexpr std::size_t kMaxIgnoredExitCodes = 50;

struct Range {
  std::int32_t least, most;
};

void check_range(const std::optional<std::int32_t>& value, std::string_view setting, Range range,
                 std::string_view container) {
  if (!value || (*value >= range.least && *value <= range.most)) return;
  throw client_error(fmt::format("The '{}' setting for container '{}' must be between {} and {}.", setting, container,
                                 range.least, range.most));
}

bool is_digest(std::string_view text) {
  constexpr std::string_view kPrefix = "sha256:";
  constexpr std::size_t kHexDigits = 64;
  return text.starts_with(kPrefix) && text.size() == kPrefix.size() + kHexDigits &&
         base::from_hex(text.substr(kPrefix.size())).has_value();
}

// Letters, digits, and the separators of registries, tags and digests.
void check_image(const ContainerDefinition& container) {
  if (!container.image || container.image->empty()) throw client_error("Container.image should not be null or empty.");
  const std::string& image = *container.image;
  const bool plain = std::all_of(image.begin(), image.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_:./#@").find(c) != std::string_view::npos;
  });
  if (!plain) throw client_error("Container.image contains invalid characters.");
  const std::size_t at = image.find('@');
  if (image.substr(0, at).size() > kMaxImage) {
    throw client_error("Container.image should have at most 255 characters.");
  }
  if (at != image.npos && !is_digest(std::string_view(image).substr(at + 1))) {
    throw client_error("Container.image contains an invalid digest. It should be sha256: and 64 hexadecimal digits.");
  }
}

void check_resources(const ContainerDefinition& container, const RegisterTaskDefinitionRequest& task) {
  const std::string& name = *container.name;
  if (container.cpu.value_or(0) < 0) throw invalid_setting("cpu", name);
  if (container.memory && *container.memory < kLeastMemory) throw invalid_setting("memory", name);
  if (container.memoryReservation && *container.memoryReservation < kLeastMemory) {
    throw invalid_setting("memoryReservation", name);
  }
  if (!container.memory && !container.memoryReservation && !task.memory) {
    throw client_error(fmt::format(
        "Invalid setting for container '{}'. At least one of 'memory' or 'memoryReservation' must be specified.",
        name));
  }
  if (container.memory && container.memoryReservation && *container.memory < *container.memoryReservation) {
    throw client_error(fmt::format(
        "Invalid setting for container '{}'. 'memory' must be greater than or equal to 'memoryReservation'.", name));
  }
}

void check_awsvpc(const ContainerDefinition& container) {
  auto refuse = [](std::string_view what) {
    throw client_error(fmt::format("{} not supported on container when networkMode=awsvpc.", what));
  };
  auto given = [](const auto& list) { return list && !list->empty(); };
  if (given(container.hostname)) refuse("hostname is");
  if (given(container.dnsServers)) refuse("DNS servers are");
  if (given(container.dnsSearchDomains)) refuse("DNS search domains are");
  if (given(container.extraHosts)) refuse("Extra hosts are");
  if (container.disableNetworking.value_or(false)) refuse("Disable Networking is");
}

void check_health(const ContainerDefinition& container) {
  if (!container.healthCheck) return;
  const HealthCheck& check = *container.healthCheck;
  const std::string& name = *container.name;
  const bool known = !check.command.empty() && (check.command[0] == "CMD" || check.command[0] == "CMD-SHELL" ||
                                                (check.command[0] == "NONE" && check.command.size() == 1));
  if (!known || (check.command[0] != "NONE" && check.command.size() < 2)) {
    throw client_error(fmt::format(
        "The health check command of container '{}' must start with CMD or CMD-SHELL, and name a command.", name));
  }
  check_range(check.interval, "interval", {5, 300}, name);
  check_range(check.timeout, "timeout", {2, 60}, name);
  check_range(check.retries, "retries", {1, 10}, name);
  check_range(check.startPeriod, "startPeriod", {0, 300}, name);
}

void check_restart(const ContainerDefinition& container) {
  if (!container.restartPolicy) return;
  const ContainerRestartPolicy& policy = *container.restartPolicy;
  check_range(policy.restartAttemptPeriod, "restartAttemptPeriod", {60, 1800}, *container.name);
  if (policy.ignoredExitCodes && policy.ignoredExitCodes->size() > kMaxIgnoredExitCodes) {
    throw client_error("The maximum number of ignored exit codes was exceeded. Specify 50 or less and try again.");
  }
}

void check_ulimits(const ContainerDefinition& container) {
  if (!container.ulimits) return;
  for (const Ulimit& limit : *container.ulimits) {
    // -1 is no limit at all.
    const bool hard_is_less = limit.hardLimit != -1 && (limit.softLimit == -1 || limit.softLimit > limit.hardLimit);
    if (limit.softLimit < -1 || limit.hardLimit < -1 || hard_is_less) throw invalid_setting("ulimits", *container.name);
  }
}

void check_log(const ContainerDefinition& container, const RegisterTaskDefinitionRequest& task) {
  if (!container.logConfiguration) return;
  const LogConfiguration& log = *container.logConfiguration;
  if (log.secretOptions && !log.secretOptions->empty() && !task.executionRoleArn) {
    throw client_error(
        "When you are specifying container secrets, you must also specify a value for 'executionRoleArn'.");
  }
  if (log.logDriver == "awslogs") check_awslogs(log);
  if (log.logDriver != "awsfirelens") return;
  const auto& all = task.containerDefinitions;
  const bool routed = std::any_of(all.begin(), all.end(), [](const auto& c) { return c.firelensConfiguration; });
  if (!routed) {
    throw client_error(
        "When awsfirelens log driver is specified in log configuration, a firelens configuration object must be "
        "configured in one of the containers.");
  }
}

void check_environment(const ContainerDefinition& container, const RegisterTaskDefinitionRequest& task) {
  if (container.environment) {
    for (const KeyValuePair& variable : *container.environment) {
      if (!variable.name || variable.name->empty()) {
        throw client_error("Environment variable name cannot be null or blank.");
      }
      if (variable.name->find('=') != std::string::npos) throw invalid_setting("environment", *container.name);
    }
  }
  if (auto why = why_not_files(container.environmentFiles)) throw client_error(std::move(*why));
  if (container.secrets && !container.secrets->empty() && !task.executionRoleArn) {
    throw client_error(
        "When you are specifying container secrets, you must also specify a value for 'executionRoleArn'.");
  }
}

void check_security_options(const ContainerDefinition& container) {
  if (!container.dockerSecurityOptions) return;
  for (const std::string& option : *container.dockerSecurityOptions) {
    if (option == "no-new-privileges" || option.starts_with("apparmor:") || option.starts_with("label:") ||
        option.starts_with("credentialspec:")) {
      continue;
    }
    throw invalid_setting("dockerSecurityOptions", *container.name);
  }
}

}  // namespace

void check_container(const ContainerDefinition& container, const RegisterTaskDefinitionRequest& task) {
  check_image(container);
  check_resources(container, task);
  check_environment(container, task);
  check_log(container, task);
  check_health(container);
  check_restart(container);
  check_ulimits(container);
  check_security_options(container);
  check_linux_parameters(container);
  check_system_controls(container, task);
  if (container.startTimeout.value_or(1) < 1) throw invalid_setting("startTimeout", *container.name);
  if (container.stopTimeout.value_or(1) < 1) throw invalid_setting("stopTimeout", *container.name);
  if (network_mode(task) == "awsvpc") check_awsvpc(container);
}

}  // namespace services::ecs
