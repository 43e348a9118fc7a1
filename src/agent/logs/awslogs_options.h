// SPDX-License-Identifier: Apache-2.0
// The settings of the log driver awslogs, from a container's payload.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/drivers/log_file.h"
#include "base/result.h"
#include "base/time.h"
#include "shapes/agent/task.h"

namespace agent::logs {

// Unsent bytes of a log file that are kept in mode blocking. The writer keeps at least as many.
inline constexpr std::int64_t kMaxUnsentBytes = drivers::kMaxLogBytes;

struct AwslogsOptions {
  std::string group;
  std::string region;
  std::string stream;  // "": the container's id
  bool create_group = false;
  bool blocking = false;
  std::int64_t max_unsent_bytes = kMaxUnsentBytes;  // of the log file; what exceeds it is dropped, the oldest first
  std::string event_start;  // a regular expression; "": each line is an event
  base::Duration flush_interval = std::chrono::seconds(5);  // an event of several lines is sent when it is so old
};

// Nothing where the container has another log driver. An error has the words of Docker's driver.
std::optional<base::Result<AwslogsOptions>> awslogs_options(const shapes::agent::Container& container);

// "10m", "512k", "1g", "10mb", "4096": Docker's units.
std::optional<std::int64_t> parse_size(std::string_view text);

}  // namespace agent::logs
