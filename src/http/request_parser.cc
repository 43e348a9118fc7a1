// SPDX-License-Identifier: Apache-2.0
#include "http/request_parser.h"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <limits>
#include <optional>

namespace http {
namespace {

namespace beast = boost::beast;
using beast::error_code;

// Limit for a chunk's size line or a trailer: a longer one is an attack.
constexpr std::size_t kMaxChunkLineBytes = 16 * 1024;

std::string text(beast::string_view view) { return std::string(view.data(), view.size()); }

// Stores Beast's results directly in our types, without Beast's containers.
class Parser : public beast::http::basic_parser<true> {
 public:
  explicit Parser(RequestHead& head) : head_(head) {}
  std::string* body = nullptr;
  int version = 0;

 private:
  void on_request_impl(beast::http::verb, beast::string_view method, beast::string_view target, int spoken,
                       error_code&) override {
    version = spoken;
    head_.method.assign(method.data(), method.size());
    head_.target.assign(target.data(), target.size());
  }
  void on_field_impl(beast::http::field, beast::string_view name, beast::string_view value, error_code&) override {
    if (!body) head_.headers.add(text(name), text(value));  // trailers are ignored
  }
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view bytes, error_code&) override {
    body->append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(beast::string_view bytes, error_code&) override { return bytes.size(); }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
  void on_finish_impl(error_code&) override {}
  void on_response_impl(int, beast::string_view, int, error_code&) override {}

  RequestHead& head_;
};

[[noreturn]] void reject(const error_code& error) {
  using E = beast::http::error;
  if (error == E::bad_version) throw Failure(505, "Only HTTP/1.0 and HTTP/1.1 are supported.");
  throw Failure(400, "Malformed request: " + error.message() + ".");
}

// Servers disagree whether a folded line is one header or two, which allows request
// smuggling. RFC 9112 5.2 lets a server reject it.
bool has_folded_line(std::string_view head) {
  for (std::size_t at = head.find('\n'); at != head.npos && at + 1 < head.size(); at = head.find('\n', at + 1)) {
    if (head[at + 1] == ' ' || head[at + 1] == '\t') return true;
  }
  return false;
}

std::size_t count_of(const base::Headers& headers, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::count_if(
      headers, [&](const base::Headers::Line& line) { return base::equals_ignoring_case(line.first, name); }));
}

}  // namespace

struct RequestParser::Beast {
  std::optional<Parser> parser;
};

RequestParser::RequestParser(std::size_t head_limit) : head_limit_(head_limit), beast_(std::make_unique<Beast>()) {}
RequestParser::~RequestParser() = default;

std::size_t RequestParser::parse_head(std::string_view input) {
  // RFC 9112 2.2: old clients send an empty line after a body.
  std::size_t skipped = 0;
  while (skipped < 8 && input.substr(skipped).starts_with("\r\n")) skipped += 2;
  std::string_view rest = input.substr(skipped);
  if (!rest.empty() && rest[0] != '\r' && (rest[0] < '!' || rest[0] > '~')) {
    throw Failure(400, "This is not an HTTP request.");  // most likely a TLS client, which would wait for us
  }
  std::size_t end = rest.find("\r\n\r\n", scanned_);
  if (std::min(end, rest.size()) > head_limit_) {
    throw Failure(431, "The request's head is larger than " + std::to_string(head_limit_) + " bytes.");
  }
  if (end == std::string_view::npos) {
    scanned_ = rest.size() < 3 ? 0 : rest.size() - 3;
    return 0;
  }
  scanned_ = 0;
  rest = rest.substr(0, end + 4);
  if (has_folded_line(rest)) throw Failure(400, "Malformed request: folded header.");

  head_ = {};
  Parser& parser = beast_->parser.emplace(head_);
  parser.header_limit(std::numeric_limits<std::uint32_t>::max());
  parser.body_limit(boost::none);
  error_code error;
  std::size_t used = parser.put(boost::asio::const_buffer(rest.data(), rest.size()), error);
  if (error) reject(error);
  if (used != rest.size() || !parser.is_header_done()) throw Failure(400, "Malformed request: invalid head.");
  examine_head();
  return skipped + rest.size();
}

void RequestParser::examine_head() {
  const Parser& parser = *beast_->parser;
  keep_alive_ = parser.keep_alive();
  chunked_ = parser.chunked();
  chunks_done_ = false;
  content_length_ = chunked_ ? 0 : parser.content_length().value_or(0);
  expects_continue_ = false;
  http11_ = parser.version >= 11;
  if (std::size_t hosts = count_of(head_.headers, "Host"); hosts > 1 || (hosts == 0 && http11_)) {
    throw Failure(400, "A request must have exactly one Host header.");
  }
  if (const std::string* encoding = head_.headers.find("Transfer-Encoding")) {
    if (!base::equals_ignoring_case(*encoding, "chunked") || count_of(head_.headers, "Transfer-Encoding") > 1) {
      throw Failure(501, "The only supported transfer encoding is chunked.");
    }
    if (!http11_) throw Failure(400, "HTTP/1.0 does not support transfer encodings.");
  }
  // Other expectations are ignored, which RFC 9110 allows and S3 does.
  if (const std::string* expectation = head_.headers.find("Expect")) {
    expects_continue_ = http11_ && base::equals_ignoring_case(*expectation, "100-continue");
  }
}

std::size_t RequestParser::parse_chunks(std::string_view input, std::string& body) {
  Parser& parser = *beast_->parser;
  parser.body = &body;
  std::size_t used = 0;
  while (!parser.is_done() && used < input.size()) {
    error_code error;
    used += parser.put(boost::asio::const_buffer(input.data() + used, input.size() - used), error);
    if (error == beast::http::error::need_more) break;
    if (error) reject(error);
  }
  chunks_done_ = parser.is_done();
  if (!chunks_done_ && input.size() - used > kMaxChunkLineBytes)
    throw Failure(400, "Malformed request: chunk header too long.");
  return used;
}

}  // namespace http
