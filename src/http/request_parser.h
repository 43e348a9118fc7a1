// SPDX-License-Identifier: Apache-2.0
// Bytes of a connection -> request heads and chunked bodies, without any socket.
// Beast's parser, and what it lets through that a server must not: folded
// headers, unknown transfer encodings, requests without one Host.
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

  // Takes one whole head off the front of `input` and says how long it was; 0 when
  // its end has not come yet, then call again with more after the same bytes.
  // Throws Failure.
  std::size_t parse_head(std::string_view input);

  // Of the head that was taken last.
  RequestHead& head() { return head_; }
  bool keep_alive() const { return keep_alive_; }
  bool http11() const { return http11_; }
  bool expects_continue() const { return expects_continue_; }
  bool chunked() const { return chunked_; }
  std::uint64_t content_length() const { return content_length_; }  // 0 when chunked

  // Decodes chunks off the front of `input` and appends to `body`. Returns the bytes
  // used; what is left is to come again with more after it. Throws Failure.
  std::size_t parse_chunks(std::string_view input, std::string& body);
  bool chunks_done() const { return chunks_done_; }

 private:
  struct Beast;

  void examine_head();

  std::size_t head_limit_;
  std::size_t scanned_ = 0;  // no head ends before here
  std::unique_ptr<Beast> beast_;
  RequestHead head_;
  bool http11_ = true, keep_alive_ = false, expects_continue_ = false, chunked_ = false, chunks_done_ = false;
  std::uint64_t content_length_ = 0;
};

}  // namespace http
