// SPDX-License-Identifier: Apache-2.0
// The regular expression of a `=~` test. Not in expression.h, which many sources include.
#pragma once

#include <re2/re2.h>

#include <string>

namespace scheduler {

struct Pattern {
  explicit Pattern(const std::string& text) : regex(text, options()) {}

  // Matches take time in proportion to the value, whatever the pattern is.
  static RE2::Options options() {
    RE2::Options options(RE2::Quiet);
    options.set_max_mem(1 << 20);
    return options;
  }

  RE2 regex;
};

}  // namespace scheduler
