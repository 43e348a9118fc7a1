// SPDX-License-Identifier: Apache-2.0
#include "agent/session/socket.h"

#include <random>
#include <stdexcept>

#include "base/bytes.h"
#include "shapes/agent/work.h"
#include "signing/sigv4.h"
#include "wire/error.h"
#include "wire/json.h"

namespace agent {
namespace asio = boost::asio;
namespace {

constexpr base::Duration kConnectDeadline = std::chrono::seconds(30);
constexpr std::chrono::milliseconds kSilence = std::chrono::seconds(60);
constexpr std::chrono::milliseconds kSilenceJitter = std::chrono::seconds(30);

std::string path_of(const std::string& url) {
  const std::size_t slash = url.find('/', url.find("://") + 3);
  std::string path = slash == url.npos ? "" : url.substr(slash);
  while (path.ends_with('/')) path.pop_back();
  return path;
}

std::string target_of(const std::string& url, const std::string& path, const std::map<std::string, std::string>& query) {
  std::string target = path_of(url) + path;
  char separator = '?';
  for (const auto& [name, value] : query) {
    target += separator + name + "=" + base::percent_encode(value);
    separator = '&';
  }
  return target;
}

// DiscoverPollEndpoint returns "wss" where the client needs "https".
std::string http_url(std::string url) {
  if (url.starts_with("ws")) url.replace(0, 2, "http");
  return url;
}

[[noreturn]] void throw_rejection(const http::Response& response) {
  base::Result<wire::Frame> frame = wire::read_frame(response.body);
  if (frame) throw wire::ApiError(frame->type, wire::read_message<shapes::agent::ErrorMessage>(*frame).message);
  throw std::runtime_error("the server rejected the connection with status " + std::to_string(response.status) + ": " +
                           response.body.substr(0, 200));
}

}  // namespace

base::Duration silence_limit() {
  std::minstd_rand random(std::random_device{}());
  return kSilence + base::Duration(random() % kSilenceJitter.count());
}

asio::awaitable<std::shared_ptr<http::WebSocket>> connect(client::Profile profile, std::string url,
                                                          std::map<std::string, std::string> query) {
  return connect(std::move(profile), std::move(url), "/ws", std::move(query), {});
}

asio::awaitable<std::shared_ptr<http::WebSocket>> connect(client::Profile profile, std::string url, std::string path,
                                                          std::map<std::string, std::string> query,
                                                          http::WebSocketLimits limits) {
  profile.endpoint = http_url(std::move(url));
  http::Request request;
  request.head.method = "GET";
  request.head.target = target_of(profile.endpoint, path, query);
  request.head.headers.set("Host", client::host_of(profile.endpoint));
  signing::sign(request, profile.credentials, profile.region, "ecs", base::SystemClock().now());
  http::Endpoint endpoint = client::endpoint_of(profile);
  base::Result<http::WebSocketReply> reply =
      co_await http::connect_websocket(std::move(endpoint), std::move(request), kConnectDeadline, limits);
  if (!reply) throw std::runtime_error(reply.error());
  if (!reply->socket) throw_rejection(reply->rejection);
  co_return reply->socket;
}

}  // namespace agent
