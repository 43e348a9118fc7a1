// SPDX-License-Identifier: Apache-2.0
// HTTP messages as values.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/headers.h"

namespace http {

// As received: nothing is decoded.
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
  std::shared_ptr<const base::File> file = {};  // after `body`, sent without reading it into memory; clients only
};

// A part of a response's body: bytes, or a range of a file, which is never read into memory.
struct BodyPart {
  std::string bytes;                       // if there is no file
  std::shared_ptr<const base::File> file;  // shared: one open file may serve many responses
  std::string name;                        // instead of `file`: opened just before it is sent
  std::uint64_t offset = 0, length = 0;    // of the file

  bool in_memory() const { return !file && name.empty(); }
  std::uint64_t size() const { return in_memory() ? bytes.size() : length; }
};

struct PartOpener;  // http/part_opener.h

struct Response {
  int status = 200;
  base::Headers headers;
  std::string body;
  std::vector<BodyPart> parts = {};               // after `body`; servers only
  std::shared_ptr<const PartOpener> opener = {};  // for parts with only a name; shared with its creator

  std::uint64_t body_size() const;  // with its parts
};

// The request cannot be served, whatever it requests: 413 body too large, 400
// malformed, 408 too slow. If a handler throws it, the server sends the status and
// closes the connection.
class Failure : public std::runtime_error {
 public:
  Failure(int status, const std::string& reason) : std::runtime_error(reason), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

// "Not Found" for 404; "" for a number without a name.
std::string_view reason_phrase(int status);

// Plain text, for requests rejected before any handler sees them.
Response text_response(int status, std::string_view text);

}  // namespace http
