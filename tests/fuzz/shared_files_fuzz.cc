// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of AWS clients, or of contexts: sections with settings; written again, they are read unchanged.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "client/shared_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const client::Sections sections = client::parse_shared_file({reinterpret_cast<const char*>(data), size});
  for (const auto& [title, section] : sections) {
    if (title.find('\n') != title.npos) std::abort();
    for (const auto& [name, value] : section) {
      if (name.find('\n') != name.npos || value.find('\n') != value.npos) std::abort();
      if (name.find('=') != name.npos) std::abort();
    }
  }
  return 0;
}
