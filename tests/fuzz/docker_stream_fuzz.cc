// SPDX-License-Identifier: Apache-2.0
// Any bytes as a container's output: they are parsed in bounded memory, and with the same result
// wherever they are split.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "agent/drivers/docker_stream.h"
#include "base/check.h"

namespace {

using agent::drivers::DockerStream;
using agent::drivers::LogStream;

struct Taken {
  std::string text;
  bool broken = false;
};

Taken take(std::string_view bytes, std::size_t step) {
  Taken taken;
  DockerStream stream;
  for (std::size_t at = 0; at < bytes.size() && !taken.broken; at += step) {
    auto fed = stream.feed(bytes.substr(at, step), [&](LogStream kind, std::string_view message) {
      CHECK(message.size() <= agent::drivers::kMaxDockerMessageBytes) << "a message past the limit";
      taken.text += kind == LogStream::Stderr ? "2" : "1";
      taken.text += message;
    });
    taken.broken = !fed;
    CHECK(stream.waiting() <= bytes.size()) << "kept more than there was";
  }
  return taken;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Taken whole = take(bytes, size);
  const Taken pieces = take(bytes, 1 + data[0]);
  CHECK(whole.text == pieces.text && whole.broken == pieces.broken) << "depends on where it is cut";
  return 0;
}
