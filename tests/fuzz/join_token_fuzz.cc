// SPDX-License-Identifier: Apache-2.0
// Any bytes as a join token: rejected, or the same text again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "state/join_token.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto word = state::parse_join_word(text);
  CHECK(!word || word->text() == text) << "another token";
  return 0;
}
