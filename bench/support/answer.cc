// SPDX-License-Identifier: Apache-2.0
#include "support/answer.h"

#include <charconv>
#include <stdexcept>
#include <string>

namespace bench {

AnswerHead read_head(std::string_view bytes) {
  constexpr std::string_view kVersion = "HTTP/1.1 ", kLength = "\r\nContent-Length: ";
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == bytes.npos) return {};
  AnswerHead head;
  head.size = end + 4;
  head.text = bytes.substr(0, end);
  if (!head.text.starts_with(kVersion)) refuse_answer(bytes);
  const char* last = head.text.data() + head.text.size();
  std::from_chars(head.text.data() + kVersion.size(), last, head.status);
  if (const std::size_t at = head.text.find(kLength); at != head.text.npos) {
    std::from_chars(head.text.data() + at + kLength.size(), last, head.body_size);
  }
  return head;
}

Answer read_answer(std::string_view bytes) {
  const AnswerHead head = read_head(bytes);
  if (head.size == 0 || bytes.size() < head.size + head.body_size) return {};
  const std::size_t size = head.size + head.body_size;
  if (head.status != 200) refuse_answer(bytes.substr(0, size));
  return {size, bytes.substr(head.size, head.body_size)};
}

void refuse_answer(std::string_view bytes) {
  constexpr std::size_t kShown = 4096;
  throw std::runtime_error("answered with " + std::string(bytes.substr(0, kShown)));
}

}  // namespace bench
