// SPDX-License-Identifier: Apache-2.0
// Bodies of messages, and lines of processors.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/words.h"
#include "worker/event.h"
#include "worker/lines.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 3 == 0) {
    (void)worker::parse_event(text);
  } else if (data[0] % 3 == 1) {
    auto answer = worker::parse_answer_line(text);
    if (!answer) return 0;
    // The text of a result is JSON by itself.
    const auto* result = std::get_if<worker::Result>(&answer->answer);
    if (!result) return 0;
    CHECK(worker::result_of_output(result->json) == result->json) << "the result was cut out wrongly";
  } else {
    (void)base::split_words(text);
  }
  return 0;
}
