// SPDX-License-Identifier: Apache-2.0
// The position of a log copy in a container's output, so that copying can resume after a restart of
// the engine or the agent without losing or repeating output.
//
// The engine returns output since a time, inclusive, and its lines are not strictly ordered: two of
// its threads read the two streams. So the requests overlap a little, and output that is already
// copied is recognised by its times.
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
  // The end of an existing log file; the start of the output when there is none.
  static DockerLogPosition end_of(const std::string& path);

  // Starts a new request. Returns its "since" time: "1794776413.000000001", or "0".
  std::string begin();
  // Returns the new part of a message of the engine and records it as copied.
  std::string_view take(LogStream stream, LogTime at, std::string_view text);

 private:
  struct Seen {
    std::size_t bytes = 0;
    // In the file every line has an end; the engine's last line may have none.
    bool perhaps_line_end = false;
  };
  using Window = std::map<LogTime, std::array<Seen, 2>>;

  void add_records(std::string_view records);
  void trim();

  Window seen_;    // the last times copied
  Window before_;  // seen_ at begin(), less what was received again
  LogTime since_;
};

}  // namespace agent::drivers
