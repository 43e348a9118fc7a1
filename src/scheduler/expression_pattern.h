// SPDX-License-Identifier: Apache-2.0
// The regular expression of a `=~` test. Not in expression.h, which many sources include.
#pragma once

#include <boost/regex.hpp>

namespace scheduler {

struct Pattern {
  boost::regex regex;
};

}  // namespace scheduler
