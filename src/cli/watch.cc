// SPDX-License-Identifier: Apache-2.0
#include "cli/watch.h"

#include <unistd.h>

#include <chrono>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "cli/polling.h"

namespace cli {
namespace {

constexpr auto kInterval = std::chrono::seconds(1);
constexpr char kHomeAndClear[] = "\x1b[H\x1b[2J";

}  // namespace

std::string watched_text(const std::string& before, const std::string& text, bool in_place) {
  if (text == before) return "";
  if (in_place) return kHomeAndClear + text;
  return before.empty() ? text : "\n" + text;
}

int show(std::ostream& out, bool watch, const std::function<void(const Screen&)>& print) {
  const Terminal terminal = terminal_of(out);
  if (!watch) {
    print({out, terminal});
    return 0;
  }
  const bool in_place = ::isatty(STDOUT_FILENO) != 0;
  bool first = true;
  for (std::string before; out.good(); first = false) {
    std::ostringstream text;
    try {
      print({text, terminal_of(out)});
    } catch (const std::runtime_error& error) {
      if (first) throw;
      text << "stoker: " << error.what() << '\n';
    }
    out << watched_text(before, text.str(), in_place) << std::flush;
    before = text.str();
    wait_before_next_look(kInterval);
  }
  return 0;
}

}  // namespace cli
