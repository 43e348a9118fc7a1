// SPDX-License-Identifier: Apache-2.0
#include "http/response_parser.h"

#include <boost/beast/http/basic_parser.hpp>
#include <optional>

namespace http {
namespace {

namespace beast = boost::beast;
using beast::error_code;

class AnswerParser : public beast::http::basic_parser<false> {
 public:
  explicit AnswerParser(Response& response) : response_(response) {}

 private:
  void on_response_impl(int status, beast::string_view, int, error_code&) override { response_.status = status; }
  void on_field_impl(beast::http::field, beast::string_view name, beast::string_view value, error_code&) override {
    response_.headers.add(std::string(name.data(), name.size()), std::string(value.data(), value.size()));
  }
  std::size_t on_body_impl(beast::string_view bytes, error_code&) override {
    response_.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view bytes, error_code& error) override {
    return on_body_impl(bytes, error);
  }
  void on_request_impl(beast::http::verb, beast::string_view, beast::string_view, int, error_code&) override {}
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
  void on_finish_impl(error_code&) override {}

  Response& response_;
};

}  // namespace

struct ResponseParser::Beast {
  std::optional<AnswerParser> parser;
};

ResponseParser::ResponseParser(ResponseLimits limits, bool to_head)
    : limits_(limits), to_head_(to_head), beast_(std::make_unique<Beast>()) {
  start();
}
ResponseParser::~ResponseParser() = default;

void ResponseParser::start() {
  response_ = {};
  AnswerParser& parser = beast_->parser.emplace(response_);
  parser.header_limit(static_cast<std::uint32_t>(limits_.head_bytes));
  parser.body_limit(limits_.body_bytes);
  parser.eager(true);
  parser.skip(to_head_);
}

base::Result<std::size_t> ResponseParser::parse(std::string_view input) {
  std::size_t used = 0;
  while (used < input.size() && !done()) {
    AnswerParser& parser = *beast_->parser;
    error_code error;
    used += parser.put(boost::asio::const_buffer(input.data() + used, input.size() - used), error);
    if (error == beast::http::error::need_more) break;
    if (error == beast::http::error::body_limit) {
      return base::Error{"the response is larger than " + std::to_string(limits_.body_bytes) + " bytes"};
    }
    if (error) return base::Error{"malformed response: " + error.message()};
    // 100 Continue and other interim responses precede the final one.
    if (parser.is_done() && response_.status / 100 == 1 && response_.status != 101) start();
  }
  if (!done() && input.size() - used > limits_.head_bytes) return base::Error{"malformed response: head too long"};
  return used;
}

bool ResponseParser::end_of_stream() {
  AnswerParser& parser = *beast_->parser;
  if (!parser.got_some()) return false;
  error_code error;
  parser.put_eof(error);
  return !error && parser.is_done();
}

bool ResponseParser::head_done() const { return beast_->parser->is_header_done(); }
bool ResponseParser::done() const { return beast_->parser->is_done(); }
bool ResponseParser::keep_alive() const { return beast_->parser->keep_alive(); }

}  // namespace http
