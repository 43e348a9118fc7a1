// SPDX-License-Identifier: Apache-2.0
// Where in a container's output a copy of it stands, so that it can be gone on with: after the
// engine was restarted, or the agent. Nothing is lost and nothing comes twice.
//
// The engine gives output since a time, that time included, and its lines are not strictly in
// order: two streams are read by two of its threads. So it is asked for a little that has been
// copied already, and that is told apart by its times.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "agent/drivers/log_file.h"

namespace agent::drivers {

inline constexpr std::chrono::nanoseconds kLogOverlap = std::chrono::seconds(1);
inline constexpr std::size_t kMaxLogOverlapTimes = 4096;

class DockerLogPosition {
 public:
  DockerLogPosition() = default;
  // At the end of a file that was written before, if it is there.
  static DockerLogPosition end_of(const std::string& path);

  // The engine is about to be asked, for what it has since this: "1794776413.000000001", or "0".
  std::string begin();
  // What is new in a message of the engine's. From now on it counts as copied.
  std::string_view take(LogStream stream, LogTime at, std::string_view text);

 private:
  struct Seen {
    std::size_t bytes = 0;
    // Read back from a file: there every line ends, the engine's last may not have.
    bool perhaps_line_end = false;
  };
  using Window = std::map<LogTime, std::array<Seen, 2>>;

  void add_records(std::string_view records);
  void trim();

  Window seen_;    // the last times of what was copied
  Window before_;  // seen_ as it was at begin(), less what has come again
  LogTime since_;
};

}  // namespace agent::drivers
