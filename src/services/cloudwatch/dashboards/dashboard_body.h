// SPDX-License-Identifier: Apache-2.0
// The body of a dashboard: JSON with a list of widgets. It is stored unchanged, so it is only checked.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace services::cloudwatch {

inline constexpr std::size_t kMaxBodyProblems = 100;

struct BodyProblem {
  std::string path;     // "/widgets/0/properties"
  std::string message;  // in Amazon's words
  bool operator==(const BodyProblem&) const = default;
};

// No more than kMaxBodyProblems. Throws wire::ApiError for text that is no JSON object.
std::vector<BodyProblem> find_body_problems(std::string_view body);

}  // namespace services::cloudwatch
