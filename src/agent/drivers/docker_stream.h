// SPDX-License-Identifier: Apache-2.0
// Parses the engine's output stream of a container without a terminal: each message has a header of
// eight bytes with its stream and size.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "agent/drivers/log_file.h"
#include "base/result.h"

namespace agent::drivers {

// Engines send at most a 16 KiB line and its time. A larger size means that the header is invalid.
inline constexpr std::size_t kMaxDockerMessageBytes = 1024 * 1024;

class DockerStream {
 public:
  // A complete message; the view is valid during the call.
  using Sink = std::function<void(LogStream stream, std::string_view message)>;

  // Feeds a piece of the stream. Returns the number of complete messages. After an error the rest of
  // the stream is unusable.
  base::Result<std::size_t> feed(std::string_view bytes, const Sink& sink);
  // Bytes of an incomplete message.
  std::size_t waiting() const { return buffer_.size(); }

 private:
  std::string buffer_;  // at most a header and a message
};

}  // namespace agent::drivers
