// SPDX-License-Identifier: Apache-2.0
// `stoker top --json`
#pragma once

#include <iosfwd>

#include "cli/top_snapshot.h"

namespace cli {

void print_top_json(std::ostream& out, const TopSnapshot& snapshot);

}  // namespace cli
