// SPDX-License-Identifier: Apache-2.0
// Messages -> the bytes of their heads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/message.h"

namespace http {

// How an answer goes out, which the request decides.
struct AnswerForm {
  bool head_only = false;  // the request was a HEAD
  bool close = false;      // no further request on this connection
  bool http11 = true;
  bool streamed = false;  // in pieces, whose length nobody knows: chunks, or up to the connection's end
};

// Does an answer of this status carry a body at all?
bool has_body(int status);

// Appends the answer's head to `out`. Content-Length, Connection and
// Transfer-Encoding are the server's: a handler's are left out, but for the
// Content-Length of an answer to a HEAD, which says what a GET would send.
// `date` is said where the answer has no Date of its own.
void write_head(const Response& response, const AnswerForm& form, std::string_view date, std::string& out);

// Appends the head of a client's request, with its body's length.
void write_head(const RequestHead& head, std::size_t body_size, std::string& out);

// Appends what comes before a chunk of that size; a line end follows the chunk.
void write_chunk_size(std::size_t size, std::string& out);

}  // namespace http
