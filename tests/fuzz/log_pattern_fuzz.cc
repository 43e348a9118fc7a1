// SPDX-License-Identifier: Apache-2.0
// Any bytes as a filter pattern and, after the first newline, a log event: an error, or a pattern that
// contradicts neither its own literal nor what it extracts.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "services/logs/patterns/pattern.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t newline = input.find('\n');
  const std::string_view message = newline == std::string_view::npos ? input : input.substr(newline + 1);
  auto pattern = services::logs::Pattern::parse(input.substr(0, newline));
  if (!pattern) return 0;
  const bool matches = pattern->matches(message);
  if (matches != pattern->extract(message).has_value()) std::abort();
  if (matches && !pattern->may_match(message)) std::abort();
  if (matches && message.find(pattern->required_literal()) == std::string_view::npos) std::abort();
  return 0;
}
