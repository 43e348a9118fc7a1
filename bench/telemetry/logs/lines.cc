// SPDX-License-Identifier: Apache-2.0
#include "lines.h"

#include <array>
#include <cstdio>

namespace bench {
namespace {

// SplitMix64.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

}  // namespace

void append_line(std::uint64_t number, std::string& out) {
  constexpr std::array kPaths = {"/api/v1/items", "/api/v1/users", "/api/v1/orders", "/login", "/assets/app.js"};
  constexpr std::array kStates = {"200", "200", "200", "200", "200", "200", "304", "404", "500"};
  const std::uint64_t random = mix(number), more = mix(random);
  const std::uint64_t ms = number / 20;  // 20,000 lines a second
  char line[256];
  const int size = std::snprintf(
      line, sizeof line,
      "2026-11-16T%02u:%02u:%02u.%03uZ INFO  web-%u request_id=%08x GET %s/%u status=%s duration_ms=%u bytes=%u user=u%u%s",
      static_cast<unsigned>(ms / 3600000 % 24), static_cast<unsigned>(ms / 60000 % 60),
      static_cast<unsigned>(ms / 1000 % 60), static_cast<unsigned>(ms % 1000), static_cast<unsigned>(random % 8),
      static_cast<unsigned>(random >> 32), kPaths[more % kPaths.size()], static_cast<unsigned>(more >> 8 & 0xffff),
      kStates[(more >> 24) % kStates.size()], static_cast<unsigned>((more >> 28 & 0x3f) + 3),
      static_cast<unsigned>((more >> 34 & 0x1fff) + 100), static_cast<unsigned>(more >> 48 & 0xfff),
      number % kRareEvery == 77 ? " java.lang.OutOfMemoryError: GPU 7" : "");
  out.append(line, static_cast<std::size_t>(size));
}

}  // namespace bench
