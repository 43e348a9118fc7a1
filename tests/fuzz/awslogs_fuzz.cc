// SPDX-License-Identifier: Apache-2.0
// Any bytes as a datetime format, as a cursor, as options and as a container's output: no crash, and each byte of
// output is in one event.
#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "agent/logs/assembly.h"
#include "agent/logs/awslogs_options.h"
#include "agent/logs/cursor.h"
#include "agent/logs/datetime_format.h"
#include "base/utf8.h"

namespace {

using namespace agent;

void check_cursor(std::string_view text) {
  const auto cursor = logs::parse_cursor(text);
  if (cursor && logs::parse_cursor(logs::to_text(*cursor)) != cursor) std::abort();
}

void check_options(const std::string& text) {
  shapes::agent::Container container;
  container.dockerConfig.hostConfig = text;
  (void)logs::awslogs_options(container);
  (void)logs::parse_size(text);
}

// Records of up to 200 bytes, without newlines, with the first byte as stream and continuation.
void check_lines(std::string_view bytes, const std::string& event_start) {
  logs::Assembly assembly(event_start);
  std::vector<logs::Event> events;
  std::size_t offset = 0, fed = 0;
  while (!bytes.empty()) {
    drivers::LogLine record;
    record.at = base::from_seconds(1);
    record.stream = bytes[0] & 1 ? "stderr" : "stdout";
    record.partial = bytes[0] & 2;
    record.text = logs::to_utf8(bytes.substr(0, 200));
    std::erase(record.text, '\n');
    fed += record.text.size();
    bytes.remove_prefix(std::min<std::size_t>(bytes.size(), 200));
    assembly.add(record, {"f", std::int64_t(offset)}, events);
    offset += 200;
  }
  assembly.finish(events);
  if (assembly.pending_since()) std::abort();
  std::size_t sent = 0;
  for (const logs::Event& event : events) {
    if (event.message.empty() || event.message.size() > logs::kMaxEventBytes || !base::is_utf8(event.message)) std::abort();
    sent += event.message.size() - std::size_t(std::count(event.message.begin(), event.message.end(), '\n'));
  }
  if (sent != fed) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_cursor(text);
  check_options(text);
  const std::string_view bytes(text);
  const std::string pattern = logs::datetime_pattern(bytes.substr(0, 32));
  const re2::RE2 compiled(pattern, re2::RE2::Quiet);
  check_lines(bytes, "");
  if (compiled.ok()) check_lines(bytes, pattern);
  return 0;
}
