// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace base {

CheckFailure::CheckFailure(const char* condition, const char* file, int line) {
  message_ << file << ':' << line << ": CHECK(" << condition << ") ";
}

CheckFailure::~CheckFailure() {
  std::fprintf(stderr, "%s\n", message_.str().c_str());
  std::abort();
}

}  // namespace base
