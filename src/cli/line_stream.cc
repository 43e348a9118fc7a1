// SPDX-License-Identifier: Apache-2.0
#include "cli/line_stream.h"

#include <stdexcept>

#include "http/block_on.h"
#include "http/client.h"
#include "signing/sigv4.h"

namespace cli {
namespace {

// A task may wait for its machine's agent for a long time before there is output.
constexpr base::Duration kFirstByteDeadline = std::chrono::hours(24);

http::Request signed_request(const client::Profile& profile, const LineRequest& request) {
  http::Request out{{"GET", request.target, {{"Host", client::host_of(profile.endpoint)}}}, ""};
  signing::sign(out, profile.credentials, profile.region, request.signing_name, base::SystemClock().now());
  return out;
}

// Splits pieces into lines. A line may continue in the next piece.
class LineSplitter {
 public:
  explicit LineSplitter(const std::function<bool(std::string_view)>& each) : each_(each) {}

  bool add(const std::string& piece) {
    text_ += piece;
    std::size_t start = 0;
    for (std::size_t end; (end = text_.find('\n', start)) != text_.npos; start = end + 1) {
      if (!each_(std::string_view(text_).substr(start, end - start))) return false;
    }
    text_.erase(0, start);
    return true;
  }

 private:
  const std::function<bool(std::string_view)>& each_;
  std::string text_;
};

}  // namespace

void read_lines(const client::Profile& profile, const LineRequest& request,
                const std::function<bool(std::string_view)>& each) {
  http::IoThreads io(1);
  http::Client client(io, client::endpoint_of(profile));
  auto opened = http::block_on(io.at(0), client.open(signed_request(profile, request), kFirstByteDeadline));
  if (!opened) throw std::runtime_error(profile.endpoint + " does not respond: " + opened.error());
  http::ResponseStream& stream = **opened;
  LineSplitter lines(each);
  std::string error_body;
  for (;;) {
    auto piece = http::block_on(io.at(0), stream.read_piece(base::Duration::max()));
    if (!piece) throw std::runtime_error(request.what + " ended early: " + piece.error());
    if (piece->empty()) break;
    if (stream.status() != 200) {
      error_body += *piece;
    } else if (!lines.add(*piece)) {
      break;
    }
  }
  if (stream.status() != 200) {
    wire::HttpResponse response{stream.status(), stream.headers(), error_body};
    wire::decode_response(wire::Protocol::Json11, request.service, {}, response, nullptr);
  }
}

}  // namespace cli
