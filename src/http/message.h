// SPDX-License-Identifier: Apache-2.0
// HTTP messages as values.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "base/headers.h"

namespace http {

// As it came: nothing in it is decoded.
struct RequestHead {
  std::string method;
  std::string target;  // path?query
  base::Headers headers;

  std::string_view path() const;   // before '?'
  std::string_view query() const;  // after '?', or ""
};

struct Request {
  RequestHead head;
  std::string body;
};

struct Response {
  int status = 200;
  base::Headers headers;
  std::string body;
};

// This request can't be served, whatever it asks for: 413 body too large, 400
// malformed, 408 too slow. The server answers it when a handler lets it through,
// and closes the connection.
class Failure : public std::runtime_error {
 public:
  Failure(int status, const std::string& reason) : std::runtime_error(reason), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

// "Not Found" for 404; "" for a number without a name.
std::string_view reason_phrase(int status);

// Plain text, for what is refused before any handler sees it.
Response text_response(int status, std::string_view text);

}  // namespace http
