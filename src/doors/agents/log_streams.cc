// SPDX-License-Identifier: Apache-2.0
#include "doors/agents/log_streams.h"

namespace doors::agents {
namespace {

constexpr std::size_t kMaxWaitingBytes = 16 * 1024 * 1024;

std::size_t size_of(const shapes::agent::StokerLogLines& lines) {
  std::size_t bytes = sizeof(lines) + lines.requestId.size() + (lines.error ? lines.error->size() : 0);
  for (const shapes::agent::StokerLogLine& line : lines.lines) {
    bytes += sizeof(line) + line.container.size() + line.stream.size() + line.text.size() +
             (line.base64 ? line.base64->size() : 0);
  }
  return bytes;
}

}  // namespace

void LogStreams::open(const std::string& id, const model::InstanceId& instance) {
  streams_.with([&](auto& streams) { streams[id].instance = instance; });
}

void LogStreams::close(const std::string& id) {
  streams_.with([&](auto& streams) { streams.erase(id); });
}

bool LogStreams::put(const model::InstanceId& instance, shapes::agent::StokerLogLines lines) {
  const std::string id = lines.requestId;
  bool known = false;
  const bool taken = streams_.with([&](auto& streams) {
    auto found = streams.find(id);
    known = found != streams.end() && found->second.instance == instance;
    if (!known) return false;
    Stream& stream = found->second;
    stream.bytes += size_of(lines);
    if (stream.bytes > kMaxWaitingBytes) {
      stream.waiting.clear();
      lines.lines.clear();
      lines.end = true;
      lines.error = "lines arrived faster than they were read";
    }
    stream.waiting.push_back(std::move(lines));
    return stream.bytes <= kMaxWaitingBytes;
  });
  if (known) topics_.wake(topic(id));
  return taken;
}

void LogStreams::end_all_of(const model::InstanceId& instance) {
  std::vector<std::string> ended;
  streams_.with([&](auto& streams) {
    for (auto& [id, stream] : streams) {
      if (stream.instance != instance) continue;
      shapes::agent::StokerLogLines last;
      last.requestId = id;
      last.end = true;
      last.error = "the machine's agent disconnected";
      stream.waiting.push_back(std::move(last));
      ended.push_back(id);
    }
  });
  for (const std::string& id : ended) topics_.wake(topic(id));
}

std::vector<shapes::agent::StokerLogLines> LogStreams::take(const std::string& id) {
  return streams_.with([&](auto& streams) {
    auto found = streams.find(id);
    if (found == streams.end()) return std::vector<shapes::agent::StokerLogLines>();
    found->second.bytes = 0;
    return std::exchange(found->second.waiting, {});
  });
}

}  // namespace doors::agents
