// SPDX-License-Identifier: Apache-2.0
// The id of a task: 32 hexadecimal digits, like Amazon's, that encode where its row is. The first half is the
// row's number, mixed with the second so that neighbours look nothing alike and the first tasks of two installations
// have different short ids; the second is random, so that nobody can find the ids of other tasks by counting.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "state/row_number.h"

namespace state {

// A launch has ten tasks at most, Amazon's limit. Their numbers are neighbours, and so are their rows.
inline constexpr std::int64_t kNumbersOfALaunch = 16;

struct TaskName {
  std::int64_t number = 0;
  std::int64_t secret = 0;

  LaunchNumber launch() const { return LaunchNumber(number / kNumbersOfALaunch); }
  std::size_t place() const { return static_cast<std::size_t>(number % kNumbersOfALaunch); }  // in its launch
  bool operator==(const TaskName&) const = default;
};

// `place` is 0 for the first task of its launch.
TaskName new_task_name(LaunchNumber launch, std::int64_t place);

// The numbers that the tasks of a launch may have.
struct TaskNumbers {
  std::int64_t first = 0, end = 0;
};
constexpr TaskNumbers task_numbers(LaunchNumber launch) {
  const std::int64_t first = static_cast<std::int64_t>(launch) * kNumbersOfALaunch;
  return {first, first + kNumbersOfALaunch};
}

std::string to_text(const TaskName& name);
// nullopt for an invalid id.
std::optional<TaskName> parse_task_name(std::string_view text);

}  // namespace state
