// SPDX-License-Identifier: Apache-2.0
// The functions of expressions.
#pragma once

#include <string_view>
#include <vector>

#include "services/logs/insights/query.h"

namespace services::logs::insights {

struct FunctionRow {
  std::string_view name;  // in lower case: names are found in any case
  std::size_t least = 0, most = 0;  // arguments
  Function function = nullptr;
};

inline constexpr std::size_t kManyArguments = 64;

const std::vector<FunctionRow>& number_functions();
const std::vector<FunctionRow>& text_functions();
const std::vector<FunctionRow>& json_functions();
const std::vector<FunctionRow>& time_functions();
const std::vector<FunctionRow>& ip_functions();

// nullptr for an unknown name.
const FunctionRow* find_function(std::string_view lower_case_name);

}  // namespace services::logs::insights
