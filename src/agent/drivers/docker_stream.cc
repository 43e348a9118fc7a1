// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker_stream.h"

#include <algorithm>

namespace agent::drivers {
namespace {

constexpr std::size_t kHeadBytes = 8;  // stream, three zeros, size in network order

std::size_t size_in(std::string_view head) {
  std::size_t size = 0;
  for (std::size_t i = 4; i < kHeadBytes; ++i) size = size << 8 | static_cast<unsigned char>(head[i]);
  return size;
}

// 0 is stdin, which engines use for what is written to stdout too.
bool is_head(std::string_view head) {
  return head[0] >= 0 && head[0] <= 2 && head.substr(1, 3) == std::string_view("\0\0\0", 3) &&
         size_in(head) <= kMaxDockerMessageBytes;
}

}  // namespace

// Answers how many messages there were.
base::Result<std::size_t> DockerStream::feed(std::string_view bytes, const Sink& sink) {
  std::size_t messages = 0;
  while (true) {
    const std::size_t wanted = buffer_.size() < kHeadBytes ? kHeadBytes : kHeadBytes + size_in(buffer_);
    const std::size_t taken = std::min(wanted - buffer_.size(), bytes.size());
    buffer_.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
    if (buffer_.size() < wanted) return messages;
    if (wanted == kHeadBytes && !is_head(buffer_)) return base::Error{"the engine's output is out of step"};
    if (buffer_.size() < kHeadBytes + size_in(buffer_)) continue;
    sink(buffer_[0] == 2 ? LogStream::Stderr : LogStream::Stdout, std::string_view(buffer_).substr(kHeadBytes));
    buffer_.clear();
    ++messages;
  }
}

}  // namespace agent::drivers
