// SPDX-License-Identifier: Apache-2.0
#include "support/measure.h"

#include <cstdio>

namespace bench {

double ms(std::chrono::nanoseconds time) { return static_cast<double>(time.count()) / 1e6; }

std::string text(const char* format, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

void print_target(const std::string& what, const std::string& target, const std::string& got, bool met) {
  std::printf("  %-52s %-16s %14s  %s\n", what.c_str(), target.c_str(), got.c_str(), met ? "pass" : "MISS");
}

}  // namespace bench
