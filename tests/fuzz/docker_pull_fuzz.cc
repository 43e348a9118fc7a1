// SPDX-License-Identifier: Apache-2.0
// Any bytes as an engine's answer to a pull: they are parsed in bounded memory, the sums stay possible, and the result
// does not depend on where the bytes are split.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "agent/drivers/docker_pull_lines.h"
#include "base/check.h"

namespace {

using agent::drivers::PullLines;
using agent::drivers::PullProgress;

PullLines take(std::string_view bytes, std::size_t step) {
  PullLines lines;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    lines.feed(bytes.substr(at, step));
    const PullProgress now = lines.progress();
    CHECK(now.layers <= static_cast<std::int32_t>(PullLines::kMaxLayers)) << "more layers than the limit";
    CHECK(now.layers_existing <= now.layers_done && now.layers_done <= now.layers) << "more layers than there are";
    CHECK(now.downloaded_bytes >= 0 && now.downloaded_bytes <= now.total_bytes) << "more bytes than there are";
  }
  lines.end_line();
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const PullLines whole = take(bytes, size);
  const PullLines pieces = take(bytes, 1 + data[0]);
  CHECK(whole.progress() == pieces.progress() && whole.error() == pieces.error()) << "depends on where it is cut";
  return 0;
}
