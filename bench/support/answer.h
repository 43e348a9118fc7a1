// SPDX-License-Identifier: Apache-2.0
// A minimal parser of HTTP responses.
#pragma once

#include <cstdint>
#include <string_view>

namespace bench {

struct AnswerHead {
  std::size_t size = 0;  // 0: incomplete
  int status = 0;
  std::uint64_t body_size = 0;  // its Content-Length
  std::string_view text;        // the head itself
};
AnswerHead read_head(std::string_view bytes);

struct Answer {
  std::size_t size = 0;  // head and body; 0: not all is there yet
  std::string_view body;
};
// Throws unless the status is 200.
Answer read_answer(std::string_view bytes);

[[noreturn]] void refuse_answer(std::string_view bytes);

}  // namespace bench
