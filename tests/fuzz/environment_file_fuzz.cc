// SPDX-License-Identifier: Apache-2.0
// Any bytes as an environment file: valid variables or an error; variables that are written again are read
// unchanged.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "agent/tasks/environment_file.h"
#include "base/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto variables = agent::parse_environment_file(text);
  if (!variables) return 0;
  std::string again;
  for (const auto& [name, value] : *variables) {
    if (name.empty() || name[0] == '#' || name.find('=') != name.npos) std::abort();
    for (const std::string& part : {name, value}) {
      if (!base::is_utf8(part) || part.find('\0') != part.npos || part.find('\n') != part.npos) std::abort();
    }
    again += name + "=" + value + "\r\n";
  }
  // If the first name begins with a byte order mark, reading takes it for the file's.
  const auto same = agent::parse_environment_file("\n" + again);
  if (!same || *same != *variables) std::abort();
  return 0;
}
