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

// A part of an answer's body: bytes, or some of a file, which never come into memory.
struct BodyPart {
  std::string bytes;                       // where there is no file
  std::shared_ptr<const base::File> file;  // shared: one open file may answer many; or
  std::string name;                        // of one that is opened when its turn has come
  std::uint64_t offset = 0, length = 0;    // of the file

  bool in_memory() const { return !file && name.empty(); }
  std::uint64_t size() const { return in_memory() ? bytes.size() : length; }
};

struct PartOpener;  // http/part_opener.h

struct Response {
  int status = 200;
  base::Headers headers;
  std::string body;
  std::vector<BodyPart> parts = {};               // what follows `body`, from a server only
  std::shared_ptr<const PartOpener> opener = {};  // of those that have only a name; shared with its maker's copies

  std::uint64_t body_size() const;  // with its parts
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
