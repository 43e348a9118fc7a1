// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/errors.h"

#include <fmt/format.h>

#include <array>

namespace services::ecs {
namespace {

using wire::ApiError;
using wire::Violation;

// An invalid member of RegisterTaskDefinition is a ClientException, one of any other operation an
// InvalidParameterException.
bool in_task_definition(const Violation& violation) {
  constexpr std::array<std::string_view, 9> kMembers = {
      "containerDefinitions", "volumes", "placementConstraints", "requiresCompatibilities", "networkMode", "pidMode",
      "proxyConfiguration",   "ipcMode", "runtimePlatform"};
  const std::string_view path = violation.path;
  const std::string_view first = path.substr(0, path.find('.'));
  // RunTask has a member of the same name with one more value.
  if (violation.constraint.find("distinctInstance") != violation.constraint.npos) return false;
  for (std::string_view member : kMembers) {
    if (member == first) return true;
  }
  return false;
}

std::string not_in_enumeration(const Violation& violation) {
  if (violation.member == "logDriver") {
    return fmt::format("{} is not a valid log driver. Must be one of {}", violation.value, violation.constraint);
  }
  if (violation.path.find(".ulimits.") != violation.path.npos) return "Unrecognized ulimit name " + violation.value;
  // ECS's own words, for distinctInstance.
  if (violation.path.starts_with("placementConstraints.") && in_task_definition(violation)) {
    return fmt::format("constraint.type '{}' is not supported.", violation.value);
  }
  // ECS's own words, for the names of account settings: no spaces in the list.
  std::string allowed;
  for (char c : violation.constraint) {
    if (c != ' ') allowed += c;
  }
  return violation.value + " should be one of " + allowed;
}

// Handlers report these themselves.
bool handler_reports(const Violation& violation) {
  return violation.path == "family" || violation.path == "containerDefinitions";
}

}  // namespace

ApiError client_error(std::string message) { return ApiError("ClientException", std::move(message)); }

ApiError invalid_parameter(std::string message) { return ApiError("InvalidParameterException", std::move(message)); }

ApiError cluster_not_found() { return ApiError("ClusterNotFoundException", "Cluster not found."); }

ApiError no_task_definition() { return client_error("Unable to describe task definition."); }

ApiError invalid_setting(std::string_view setting, std::string_view container) {
  return client_error(fmt::format("Invalid '{}' setting for container '{}'.", setting, container));
}

ApiError unsupported(std::string_view what, std::string_view why) {
  return client_error(fmt::format("{} is not supported by Stoker: {}.", what, why));
}

std::optional<ApiError> violation_error(const std::vector<Violation>& violations) {
  for (const Violation& violation : violations) {
    const bool task_definition = in_task_definition(violation);
    auto error = [&](std::string message) {
      return task_definition ? client_error(std::move(message)) : invalid_parameter(std::move(message));
    };
    if (violation.kind == Violation::Missing) {
      if (handler_reports(violation)) continue;
      return error(violation.member + (task_definition ? " should not be null or empty." : " can not be blank."));
    }
    if (violation.kind == Violation::NotInEnum) return error(not_in_enumeration(violation));
    return error(wire::validation_message({violation}));
  }
  return std::nullopt;
}

}  // namespace services::ecs
