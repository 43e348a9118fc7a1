// SPDX-License-Identifier: Apache-2.0
// The value of one expression whose types were checked.
#pragma once

#include <string>
#include <vector>

#include "services/cloudwatch/math/math_program.h"

namespace services::cloudwatch {

struct MathScope {
  const MathInput& input;
  const std::vector<std::string>& metrics;  // ids of the metrics, in the request's order
  const MathResults& results;               // of the ids that the expression refers to
  std::size_t& points;                      // that were produced so far; see kMaxMathPoints
};

// Throws MathError.
MathValue evaluate_math(const MathNode& node, const MathScope& scope);

}  // namespace services::cloudwatch
