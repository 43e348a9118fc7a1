// SPDX-License-Identifier: Apache-2.0
// The target of an alarm's action, by its ARN.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace services::cloudwatch {

enum class ActionKind {
  Scaling,  // arn:aws:autoscaling:... and arn:aws:application-autoscaling:...: executed by the service that owns it
  Queue,    // arn:aws:sqs:<region>:<account>:<queue>
  Webhook,  // arn:aws:stoker:<region>:<account>:webhook/<name>
  Absent,   // of a service that Amazon's alarms can use and Stoker does not have: no such target exists here
};

// Throws wire::ApiError (ValidationError) for other targets, and for those that a composite alarm can't have. As on
// Amazon, nobody looks whether the target exists: if it does not, then the action fails, and the history shows that.
ActionKind check_action(std::string_view arn, bool composite);
// nullopt where check_action() throws.
std::optional<ActionKind> action_kind(std::string_view arn);

}  // namespace services::cloudwatch
