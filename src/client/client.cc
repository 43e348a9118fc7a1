// SPDX-License-Identifier: Apache-2.0
#include "client/client.h"

#include <charconv>

#include "http/sigv4.h"

namespace client {
namespace {

constexpr base::Duration kDeadline = std::chrono::seconds(30);

std::string host_of(const std::string& endpoint) {
  std::string host = endpoint.substr(endpoint.find("://") + 3);
  return host.substr(0, host.find('/'));
}

}  // namespace

base::Result<http::Endpoint> parse_endpoint(const std::string& url) {
  const bool tls = url.starts_with("https://");
  if (!tls && !url.starts_with("http://")) return base::Error{"'" + url + "' is not an http:// or https:// address"};
  std::string host = host_of(url);
  unsigned short port = tls ? 443 : 80;
  std::size_t colon = host.rfind(':');
  if (colon != host.npos && host.find(']', colon) == host.npos) {
    const char* end = host.data() + host.size();
    auto parsed = std::from_chars(host.data() + colon + 1, end, port);
    if (parsed.ec != std::errc() || parsed.ptr != end) return base::Error{"'" + url + "' has a port that is none"};
    host.resize(colon);
  }
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  if (host.empty()) return base::Error{"'" + url + "' names no host"};
  return tls ? http::Endpoint::tls(host, port) : http::Endpoint::tcp(host, port);
}

Client::Client(Profile profile) : profile_(std::move(profile)), io_(1) {
  auto endpoint = parse_endpoint(profile_.endpoint);
  if (!endpoint) throw std::runtime_error(endpoint.error());
  if (!profile_.socket.empty()) endpoint = http::Endpoint::unix_socket(profile_.socket);
  http_ = std::make_unique<http::Client>(io_, *endpoint);
}

Client::~Client() {
  http_.reset();
  io_.stop();
}

void Client::call_erased(const Target& target, const wire::Operation& operation, const void* input, void* output) {
  wire::OutgoingRequest outgoing = wire::encode_request(target.protocol, target.service, operation, input);
  http::Request request{{outgoing.method, outgoing.path, std::move(outgoing.headers)}, std::move(outgoing.body)};
  request.head.headers.set("Host", host_of(profile_.endpoint));
  http::sign(request, profile_.credentials, profile_.region, target.signing_name, base::SystemClock().now());
  auto response = http_->send_now(std::move(request), kDeadline);
  if (!response) throw std::runtime_error(profile_.endpoint + " does not answer: " + response.error());
  wire::HttpResponse answer{response->status, std::move(response->headers), std::move(response->body)};
  wire::decode_response(target.protocol, target.service, operation, answer, output);
}

base::Result<http::Response> Client::get(const std::string& path) {
  return http_->send_now({{"GET", path, {{"Host", host_of(profile_.endpoint)}}}, ""}, kDeadline);
}

}  // namespace client
