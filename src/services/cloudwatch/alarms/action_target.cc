// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/action_target.h"

#include <algorithm>
#include <array>

#include "services/arn.h"
#include "services/cloudwatch/errors.h"

namespace services::cloudwatch {
namespace {

// Services of Amazon's that an alarm can use. "automate" stops, reboots and terminates machines of EC2.
constexpr std::array<std::string_view, 7> kAbsentVendors = {"sns",      "lambda", "ssm",  "ssm-incidents",
                                                            "automate", "swf",    "aiops"};

// A composite alarm has none of those that act on machines.
bool suits_composite(std::string_view vendor) {
  return vendor != "autoscaling" && vendor != "application-autoscaling" && vendor != "automate" && vendor != "swf";
}

}  // namespace

std::optional<ActionKind> action_kind(std::string_view text) {
  const auto arn = parse_arn(text);
  if (!arn || arn->resource.empty()) return std::nullopt;
  if (arn->service == "autoscaling" || arn->service == "application-autoscaling") return ActionKind::Scaling;
  if (arn->service == "sqs") return ActionKind::Queue;
  if (arn->service == "stoker" && arn->resource.starts_with("webhook/")) return ActionKind::Webhook;
  const bool absent = std::find(kAbsentVendors.begin(), kAbsentVendors.end(), arn->service) != kAbsentVendors.end();
  if (absent) return ActionKind::Absent;
  return std::nullopt;
}

ActionKind check_action(std::string_view text, bool composite) {
  const auto arn = parse_arn(text);
  if (!arn || arn->service.empty()) throw validation_error("Invalid arn syntax: " + std::string(text));
  const auto kind = action_kind(text);
  if (!kind || (composite && !suits_composite(arn->service))) {
    throw validation_error("Unsupported AWS vendor " + std::string(arn->service));
  }
  return *kind;
}

}  // namespace services::cloudwatch
