// SPDX-License-Identifier: Apache-2.0
// CHECK: an invariant of our own code. When it fails, the process reports where and
// stops. Never use it on input from a client.
#pragma once

#include <sstream>

namespace base {

class CheckFailure {
 public:
  CheckFailure(const char* condition, const char* file, int line);
  [[noreturn]] ~CheckFailure();

  template <class T>
  CheckFailure& operator<<(const T& part) {
    message_ << part;
    return *this;
  }

 private:
  std::ostringstream message_;
};

}  // namespace base

#define CHECK(condition) \
  if (condition) {       \
  } else                 \
    ::base::CheckFailure(#condition, __FILE__, __LINE__)
