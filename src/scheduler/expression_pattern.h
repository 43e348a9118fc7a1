// SPDX-License-Identifier: Apache-2.0
// The regular expression of a `=~` test. Apart from expression.h, which every placement includes.
#pragma once

#include <boost/regex.hpp>

namespace scheduler {

struct Pattern {
  boost::regex regex;
};

}  // namespace scheduler
