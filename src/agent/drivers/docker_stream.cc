// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker_stream.h"

#include <algorithm>

namespace agent::drivers {
namespace {

constexpr std::size_t kFrameHeaderBytes = 8;  // stream, three zeros, size in network order

std::size_t size_in(std::string_view header) {
  std::size_t size = 0;
  for (std::size_t i = 4; i < kFrameHeaderBytes; ++i) size = size << 8 | static_cast<unsigned char>(header[i]);
  return size;
}

// 0 is stdin, which engines also use for stdout.
bool is_frame_header(std::string_view header) {
  return header[0] >= 0 && header[0] <= 2 && header.substr(1, 3) == std::string_view("\0\0\0", 3) &&
         size_in(header) <= kMaxDockerMessageBytes;
}

}  // namespace

base::Result<std::size_t> DockerStream::feed(std::string_view bytes, const Sink& sink) {
  std::size_t messages = 0;
  while (true) {
    const bool has_header = buffer_.size() >= kFrameHeaderBytes;
    const std::size_t wanted = kFrameHeaderBytes + (has_header ? size_in(buffer_) : 0);
    const std::size_t taken = std::min(wanted - buffer_.size(), bytes.size());
    buffer_.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
    if (buffer_.size() < wanted) return messages;
    if (wanted == kFrameHeaderBytes && !is_frame_header(buffer_)) {
      return base::Error{"invalid frame header in the engine's output"};
    }
    if (buffer_.size() < kFrameHeaderBytes + size_in(buffer_)) continue;
    sink(buffer_[0] == 2 ? LogStream::Stderr : LogStream::Stdout, std::string_view(buffer_).substr(kFrameHeaderBytes));
    buffer_.clear();
    ++messages;
  }
}

}  // namespace agent::drivers
