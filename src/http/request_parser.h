// SPDX-License-Identifier: Apache-2.0
// Bytes of a connection -> request heads and chunked bodies, without a socket.
// Beast's parser, with checks that it lacks: folded headers, unknown transfer encodings
// and requests without exactly one Host are rejected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/message.h"

namespace http {

class RequestParser {
 public:
  explicit RequestParser(std::size_t head_limit);
  ~RequestParser();

  // Parses one head at the front of `input` and returns its length; 0 if it is
  // incomplete: call again with the same bytes and more after them.
  // Throws Failure.
  std::size_t parse_head(std::string_view input);

  // Of the last parsed head.
  RequestHead& head() { return head_; }
  bool keep_alive() const { return keep_alive_; }
  bool http11() const { return http11_; }
  bool expects_continue() const { return expects_continue_; }
  bool chunked() const { return chunked_; }
  std::uint64_t content_length() const { return content_length_; }  // 0 when chunked

  // Decodes chunks at the front of `input` and appends them to `body`. Returns the number
  // of bytes used; pass the rest again with more after it. Throws Failure.
  std::size_t parse_chunks(std::string_view input, std::string& body);
  bool chunks_done() const { return chunks_done_; }

 private:
  struct Beast;

  void examine_head();

  std::size_t head_limit_;
  std::size_t scanned_ = 0;  // the head does not end before this offset
  std::unique_ptr<Beast> beast_;
  RequestHead head_;
  bool http11_ = true, keep_alive_ = false, expects_continue_ = false, chunked_ = false, chunks_done_ = false;
  std::uint64_t content_length_ = 0;
};

}  // namespace http
