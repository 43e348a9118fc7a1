// SPDX-License-Identifier: Apache-2.0
#include "client/request.h"

#include <charconv>
#include <stdexcept>

#include "signing/sigv4.h"

namespace client {

std::string host_of(const std::string& url) {
  std::string host = url.substr(url.find("://") + 3);
  return host.substr(0, host.find('/'));
}

base::Result<http::Endpoint> parse_endpoint(const std::string& url) {
  const bool tls = url.starts_with("https://");
  if (!tls && !url.starts_with("http://")) return base::Error{"'" + url + "' is not an http:// or https:// address"};
  std::string host = host_of(url);
  unsigned short port = tls ? 443 : 80;
  std::size_t colon = host.rfind(':');
  if (colon != host.npos && host.find(']', colon) == host.npos) {
    const char* end = host.data() + host.size();
    auto parsed = std::from_chars(host.data() + colon + 1, end, port);
    if (parsed.ec != std::errc() || parsed.ptr != end) return base::Error{"'" + url + "' has an invalid port"};
    host.resize(colon);
  }
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  if (host.empty()) return base::Error{"'" + url + "' has no host"};
  return tls ? http::Endpoint::tls(host, port) : http::Endpoint::tcp(host, port);
}

http::Endpoint endpoint_of(const Profile& profile) {
  auto endpoint = parse_endpoint(profile.endpoint);
  if (!endpoint) throw std::runtime_error(endpoint.error());
  if (!profile.socket.empty()) return http::Endpoint::unix_socket(profile.socket);
  endpoint->ca_file = profile.ca_file;
  return *endpoint;
}

http::Request make_request(const Profile& profile, const Target& target, const wire::Operation& operation,
                           const void* input, base::Time now) {
  wire::OutgoingRequest outgoing = wire::encode_request(target.protocol, target.service, operation, input);
  http::Request request{{outgoing.method, outgoing.path, std::move(outgoing.headers)}, std::move(outgoing.body)};
  request.head.headers.set("Host", host_of(profile.endpoint));
  signing::sign(request, profile.credentials, profile.region, target.signing_name, now);
  return request;
}

void read_response(const Profile& profile, const Target& target, const wire::Operation& operation,
                   base::Result<http::Response> response, void* output) {
  if (!response) throw std::runtime_error(profile.endpoint + " does not answer: " + response.error());
  wire::HttpResponse answer{response->status, std::move(response->headers), std::move(response->body)};
  wire::decode_response(target.protocol, target.service, operation, answer, output);
}

}  // namespace client
