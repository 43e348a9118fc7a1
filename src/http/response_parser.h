// SPDX-License-Identifier: Apache-2.0
// Bytes of a connection -> one response, without a socket.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "http/message.h"

namespace http {

struct ResponseLimits {
  std::size_t head_bytes = 0;
  std::size_t body_bytes = 0;
};

class ResponseParser {
 public:
  // `to_head`: the request was a HEAD, so no body follows, whatever the headers say.
  ResponseParser(ResponseLimits limits, bool to_head);
  ~ResponseParser();

  // Returns the number of bytes used; pass the rest again with more after it.
  base::Result<std::size_t> parse(std::string_view input);
  // The peer closed. True if that is the end of this response.
  bool end_of_stream();

  bool head_done() const;
  bool done() const;
  bool keep_alive() const;
  Response take() { return std::move(response_); }

  // For a response that is read in pieces: its state, and the body since the last call.
  const Response& so_far() const { return response_; }
  std::string take_body() { return std::exchange(response_.body, {}); }

 private:
  struct Beast;

  void start();

  ResponseLimits limits_;
  bool to_head_;
  Response response_;
  std::unique_ptr<Beast> beast_;
};

}  // namespace http
