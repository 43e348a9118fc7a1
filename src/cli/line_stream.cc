// SPDX-License-Identifier: Apache-2.0
#include "cli/line_stream.h"

#include <stdexcept>

#include "http/block_on.h"
#include "http/client.h"
#include "signing/sigv4.h"

namespace cli {
namespace {

// A task that waits for its machine's agent has no output yet, however long that takes.
constexpr base::Duration kUntilFirstByte = std::chrono::hours(24);

http::Request signed_request(const client::Profile& profile, const LineRequest& request) {
  http::Request out{{"GET", request.target, {{"Host", client::host_of(profile.endpoint)}}}, ""};
  signing::sign(out, profile.credentials, profile.region, request.signing_name, base::SystemClock().now());
  return out;
}

// Pieces end where they end; lines go on in the next one.
class Lines {
 public:
  explicit Lines(const std::function<bool(std::string_view)>& each) : each_(each) {}

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
  auto opened = http::block_on(io.at(0), client.open(signed_request(profile, request), kUntilFirstByte));
  if (!opened) throw std::runtime_error(profile.endpoint + " does not answer: " + opened.error());
  http::ResponseStream& stream = **opened;
  Lines lines(each);
  std::string refusal;
  for (;;) {
    auto piece = http::block_on(io.at(0), stream.read_piece(base::Duration::max()));
    if (!piece) throw std::runtime_error(request.what + " broke off: " + piece.error());
    if (piece->empty()) break;
    if (stream.status() != 200) {
      refusal += *piece;
    } else if (!lines.add(*piece)) {
      break;
    }
  }
  if (stream.status() != 200) {
    wire::HttpResponse response{stream.status(), stream.headers(), refusal};
    wire::decode_response(wire::Protocol::Json11, request.service, {}, response, nullptr);
  }
}

}  // namespace cli
