// SPDX-License-Identifier: Apache-2.0
// Server-sent events: the pieces in which the bytes arrive make no difference. And names, made safe for terminals.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "cli/job_events.h"
#include "cli/terminal_text.h"

namespace {

void check_events(std::string_view text) {
  cli::EventReader whole, split;
  const auto expected = whole.add(text);
  std::size_t at = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const cli::ServerEvent& event : split.add(text.substr(i, 1))) {
      CHECK(at < expected.size()) << "an event more";
      CHECK(event.data == expected[at].data && event.id == expected[at].id && event.type == expected[at].type)
          << "another event";
      ++at;
    }
  }
  CHECK(at == expected.size()) << "an event less";
}

void check_names(std::string_view text) {
  const std::string safe = cli::terminal_text(text);
  CHECK(base::is_utf8(safe)) << "invalid UTF-8";
  for (char c : safe) CHECK(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << "a control character";
  for (std::size_t columns : {0, 1, 3, 8, 20}) {
    CHECK(cli::display_width(cli::fit_left(text, columns)) == columns) << "another width";
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_events(text);
  check_names(text);
  return 0;
}
