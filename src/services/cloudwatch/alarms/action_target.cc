// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/action_target.h"

#include "services/arn.h"
#include "services/cloudwatch/errors.h"

namespace services::cloudwatch {

std::optional<ActionKind> action_kind(std::string_view text) {
  const auto arn = parse_arn(text);
  if (!arn || arn->resource.empty()) return std::nullopt;
  if (arn->service == "autoscaling" || arn->service == "application-autoscaling") return ActionKind::Scaling;
  if (arn->service == "sqs") return ActionKind::Queue;
  if (arn->service == "stoker" && arn->resource.starts_with("webhook/")) return ActionKind::Webhook;
  return std::nullopt;
}

ActionKind check_action(std::string_view text, bool composite) {
  const auto arn = parse_arn(text);
  if (!arn || arn->service.empty()) throw validation_error("Invalid arn syntax: " + std::string(text));
  const auto kind = action_kind(text);
  if (!kind || (composite && *kind == ActionKind::Scaling)) {
    throw validation_error("Unsupported AWS vendor " + std::string(arn->service));
  }
  return *kind;
}

}  // namespace services::cloudwatch
