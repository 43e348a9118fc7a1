// SPDX-License-Identifier: Apache-2.0
// What a task is called: 32 hexadecimal digits, as Amazon's are, that say where its row is. The first half is
// the row's number, mixed so that neighbours look nothing alike; the second is random, so that nobody
// comes by a task's name by counting.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace services::ecs {

// A launch has ten tasks at most, Amazon's limit. Their numbers are neighbours, and so are their rows.
inline constexpr std::int64_t kNumbersOfALaunch = 16;

struct TaskName {
  std::int64_t number = 0;
  std::int64_t secret = 0;

  bool operator==(const TaskName&) const = default;
};

// `place` is 0 for the first of its launch.
TaskName new_task_name(std::int64_t launch, std::int64_t place);
inline std::int64_t launch_of(const TaskName& name) { return name.number / kNumbersOfALaunch; }

std::string to_text(const TaskName& name);
// nullopt for what can't be a name of this kind.
std::optional<TaskName> parse_task_name(std::string_view text);

}  // namespace services::ecs
