// SPDX-License-Identifier: Apache-2.0
// Bytes of a connection through the request parser, in one piece and cut in two:
// both must give the same requests.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/request_parser.h"
#include "http/response_parser.h"

namespace {

constexpr std::size_t kHeadLimit = 4096;

// The server's loop, with `cut` as the end of the first read.
std::string transcript(std::string_view bytes, std::size_t cut) {
  http::RequestParser parser(kHeadLimit);
  std::string found, waiting(bytes.substr(0, cut));
  std::string_view rest = bytes.substr(cut);
  auto read_more = [&] {
    if (rest.empty()) return false;
    waiting += rest;
    rest = {};
    return true;
  };
  try {
    for (;;) {
      std::size_t used = parser.parse_head(waiting);
      if (used == 0 && !read_more()) return found;
      if (used == 0) continue;
      waiting.erase(0, used);
      found += parser.head().method + " " + parser.head().target + "\n";
      for (const auto& [name, value] : parser.head().headers) found += name + ":" + value + "\n";
      if (parser.chunked()) {
        while (!parser.chunks_done()) {
          waiting.erase(0, parser.parse_chunks(waiting, found));
          if (!parser.chunks_done() && !read_more()) return found;
        }
        continue;
      }
      while (waiting.size() < parser.content_length() && read_more()) {
      }
      if (waiting.size() < parser.content_length()) return found;
      found += waiting.substr(0, parser.content_length());
      waiting.erase(0, parser.content_length());
    }
  } catch (const http::Failure& failure) {
    return found + "refused " + std::to_string(failure.status());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::size_t cut = bytes.empty() ? 0 : data[0] * bytes.size() / 256;
  CHECK(transcript(bytes, bytes.size()) == transcript(bytes, cut)) << "a cut at " << cut << " changed what was read";

  http::ResponseLimits limits;
  limits.head_bytes = kHeadLimit;
  limits.body_bytes = kHeadLimit;
  http::ResponseParser response(limits, false);
  auto used = response.parse(bytes);
  if (used) {
    CHECK(*used <= bytes.size()) << "used more than there was";
    (void)response.end_of_stream();
  }
  return 0;
}
