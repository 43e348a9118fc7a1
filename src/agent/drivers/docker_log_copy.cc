// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker_log_copy.h"

#include <algorithm>

namespace agent::drivers {

base::Result<DockerLogCopy> DockerLogCopy::open(const std::string& path, bool terminal) {
  DockerLogPosition position = DockerLogPosition::end_of(path);
  auto writer = LogWriter::open(path);
  if (!writer) return base::Error{writer.error()};
  return DockerLogCopy(std::move(*writer), std::move(position), terminal);
}

DockerLogCopy::DockerLogCopy(LogWriter writer, DockerLogPosition position, bool terminal)
    : writer_(std::move(writer)), position_(std::move(position)), terminal_(terminal) {}

std::string DockerLogCopy::begin() {
  stream_ = DockerStream();
  line_.clear();
  return position_.begin();
}

base::Result<std::size_t> DockerLogCopy::feed(std::string_view bytes) {
  if (!terminal_) {
    return stream_.feed(bytes, [this](LogStream stream, std::string_view message) { take(stream, message); });
  }
  take_lines(bytes);
  return bytes.size();
}

void DockerLogCopy::take_lines(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
    line_ += bytes.substr(0, size);
    bytes.remove_prefix(size);
    if (line_.back() != '\n' && line_.size() < kMaxDockerMessageBytes) continue;
    take(LogStream::Stdout, line_);
    line_.clear();
  }
}

void DockerLogCopy::take(LogStream stream, std::string_view message) {
  const std::size_t space = std::min(message.find(' '), message.size());
  const auto at = parse_log_time(std::string(message.substr(0, space)) + " stdout F ");
  if (!at) return;  // invalid: the engine prefixes every message with a time
  const std::string_view fresh = position_.take(stream, *at, message.substr(std::min(space + 1, message.size())));
  writer_.append(stream, *at, fresh);
}

}  // namespace agent::drivers
