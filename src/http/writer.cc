// SPDX-License-Identifier: Apache-2.0
#include "http/writer.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace http {
namespace {

void append_number(std::uint64_t number, std::string& out, int base = 10) {
  std::array<char, 20> digits;
  auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
  out.append(digits.data(), end);
}

bool is_token_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

// A value may contain a client's input. A line end in it must not start another
// header, so control characters become spaces.
void append_line(const base::Headers::Line& line, std::string& out) {
  if (line.first.empty() || !std::ranges::all_of(line.first, is_token_char)) return;
  out += line.first;
  out += ": ";
  std::size_t start = out.size();
  out += line.second;
  for (std::size_t i = start; i < out.size(); ++i) {
    unsigned char c = static_cast<unsigned char>(out[i]);
    if ((c < ' ' && c != '\t') || c == 127) out[i] = ' ';
  }
  out += "\r\n";
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 20 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool frames_message(std::string_view name) {
  return base::equals_ignoring_case(name, "Content-Length") || base::equals_ignoring_case(name, "Connection") ||
         base::equals_ignoring_case(name, "Transfer-Encoding");
}

}  // namespace

bool has_body(int status) { return status >= 200 && status != 204 && status != 304; }

void write_head(const Response& response, const ResponseForm& form, std::string_view date, std::string& out) {
  out += "HTTP/1.1 ";
  append_number(static_cast<std::size_t>(response.status), out);
  out += ' ';
  out += reason_phrase(response.status);
  out += "\r\n";
  if (!response.headers.find("Date")) {
    out += "Date: ";
    out += date;
    out += "\r\n";
  }
  for (const base::Headers::Line& line : response.headers) {
    if (!frames_message(line.first)) append_line(line, out);
  }
  if (has_body(response.status) && form.streamed) {
    if (form.http11) out += "Transfer-Encoding: chunked\r\n";
  } else if (has_body(response.status)) {
    std::string_view given = response.headers.get("Content-Length");
    out += "Content-Length: ";
    if (form.head_only && is_number(given)) {
      out += given;
    } else {
      append_number(response.body_size(), out);
    }
    out += "\r\n";
  }
  if (form.close) {
    out += "Connection: close\r\n";
  } else if (!form.http11) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
}

void write_chunk_size(std::size_t size, std::string& out) {
  append_number(size, out, 16);
  out += "\r\n";
}

void write_head(const RequestHead& head, std::size_t body_size, std::string& out) {
  out += head.method;
  out += ' ';
  out += head.target;
  out += " HTTP/1.1\r\n";
  for (const base::Headers::Line& line : head.headers) {
    if (!frames_message(line.first)) append_line(line, out);
  }
  // A GET without a body has no Content-Length; a POST without one has 0.
  bool names_length = body_size > 0 || (head.method != "GET" && head.method != "HEAD" && head.method != "DELETE");
  if (names_length) {
    out += "Content-Length: ";
    append_number(body_size, out);
    out += "\r\n";
  }
  out += "\r\n";
}

}  // namespace http
