// SPDX-License-Identifier: Apache-2.0
// Copies the engine's stream of a container's output into a log file.
#pragma once

#include <string>
#include <string_view>

#include "agent/drivers/docker_log_position.h"
#include "agent/drivers/docker_stream.h"
#include "agent/drivers/log_file.h"
#include "base/result.h"

namespace agent::drivers {

class DockerLogCopy {
 public:
  // Appends to an existing file. `terminal`: one stream of lines without frame headers.
  static base::Result<DockerLogCopy> open(const std::string& path, bool terminal);

  // Starts a new stream. Returns the time since which to request it.
  std::string begin();
  // A piece of the stream. After an error, request the stream again.
  base::Result<std::size_t> feed(std::string_view bytes);

 private:
  DockerLogCopy(LogWriter writer, DockerLogPosition position, bool terminal);
  // "2026-11-15T21:00:13.123456789Z text", with a newline where the line ends.
  void take(LogStream stream, std::string_view message);
  void take_lines(std::string_view bytes);

  LogWriter writer_;
  DockerLogPosition position_;
  bool terminal_;
  DockerStream stream_;
  std::string line_;  // with a terminal: an incomplete line, bounded
};

}  // namespace agent::drivers
