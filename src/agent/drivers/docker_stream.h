// SPDX-License-Identifier: Apache-2.0
// Takes apart what the engine sends of a container without a terminal: each message has a head
// of eight bytes, which tell its stream and its size.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "agent/drivers/log_file.h"
#include "base/result.h"

namespace agent::drivers {

// Engines send a line at most 16 KiB long and its time. What is said to be larger than this is
// not a head: the stream is out of step, or comes from something else.
inline constexpr std::size_t kMaxDockerMessageBytes = 1024 * 1024;

class DockerStream {
 public:
  // A whole message; the view lives as long as the call.
  using Sink = std::function<void(LogStream stream, std::string_view message)>;

  // Any piece of the stream. After an error the rest of the stream means nothing.
  base::Result<std::size_t> feed(std::string_view bytes, const Sink& sink);
  // Bytes of a message that is not whole yet.
  std::size_t waiting() const { return buffer_.size(); }

 private:
  std::string buffer_;  // a head and a message at most
};

}  // namespace agent::drivers
