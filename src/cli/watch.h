// SPDX-License-Identifier: Apache-2.0
// Prints something once, or again after each change.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "cli/terminal.h"

namespace cli {

// What one printing writes to: `terminal` is that of the real output.
struct Screen {
  std::ostream& out;
  Terminal terminal;
};

// Returns 0. `watch`: prints each second what differs from the last time, on a terminal in its place, until the process
// is interrupted; errors of a server that does not respond are shown and do not end it.
int show(std::ostream& out, bool watch, const std::function<void(const Screen&)>& print);

// One turn of watching: the text to write after `text` was printed, and `before` the last time. "": nothing has changed.
std::string watched_text(const std::string& before, const std::string& text, bool in_place);

}  // namespace cli
