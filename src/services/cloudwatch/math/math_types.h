// SPDX-License-Identifier: Apache-2.0
// What a metric math expression returns, and whether its functions get what they take.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "services/cloudwatch/math/math_program.h"

namespace services::cloudwatch {

struct MathNames {
  std::function<std::optional<MathType>(std::string_view id)> type_of;  // nullopt: unknown
  std::function<bool(std::string_view id)> is_metric;
};

// Throws MathError.
MathType infer_type(const MathNode& node, const MathNames& names);

// Calls `fn` for each node of the tree.
void for_each_node(const MathNode& node, const std::function<void(const MathNode&)>& fn);

}  // namespace services::cloudwatch
