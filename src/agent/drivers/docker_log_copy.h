// SPDX-License-Identifier: Apache-2.0
// From the engine's stream of a container's output into its log file.
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
  // Goes on with the file, if it is there. `terminal`: one stream of lines, without heads.
  static base::Result<DockerLogCopy> open(const std::string& path, bool terminal);

  // A new stream is about to come, which is to begin at this time.
  std::string begin();
  // A piece of it. After an error it is to be asked for again.
  base::Result<std::size_t> feed(std::string_view bytes);

 private:
  DockerLogCopy(LogWriter writer, DockerLogPosition position, bool terminal);
  // "2026-11-15T21:00:13.123456789Z text", with its newline where the line ends there.
  void take(LogStream stream, std::string_view message);
  void take_lines(std::string_view bytes);

  LogWriter writer_;
  DockerLogPosition position_;
  bool terminal_;
  DockerStream stream_;
  std::string line_;  // with a terminal: the start of one, bounded
};

}  // namespace agent::drivers
