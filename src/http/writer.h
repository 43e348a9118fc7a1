// SPDX-License-Identifier: Apache-2.0
// Writes the heads of messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/message.h"

namespace http {

// The form of a response, which depends on the request.
struct ResponseForm {
  bool head_only = false;  // the request was a HEAD
  bool close = false;      // no further request on this connection
  bool http11 = true;
  bool streamed = false;  // in pieces of unknown total length: chunks, or up to the connection's end
};

// Whether a response with this status has a body.
bool has_body(int status);

// Appends the response's head to `out`. The server sets Content-Length, Connection and
// Transfer-Encoding and omits a handler's, except the Content-Length of a response to
// HEAD, which is the length that a GET would send. `date` is used if the response has
// no Date of its own.
void write_head(const Response& response, const ResponseForm& form, std::string_view date, std::string& out);

// Appends the head of a client's request, with its body's length.
void write_head(const RequestHead& head, std::size_t body_size, std::string& out);

// Appends the size line of a chunk; a line end must follow the chunk.
void write_chunk_size(std::size_t size, std::string& out);

}  // namespace http
