// SPDX-License-Identifier: Apache-2.0
#include "cli/exec_connection.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <system_error>

#include "datachannel/message.h"
#include "http/block_on.h"

namespace cli {
namespace asio = boost::asio;
namespace {

constexpr base::Duration kConnectDeadline = std::chrono::seconds(15);
// The server pings every 20 seconds.
constexpr base::Duration kSilence = std::chrono::seconds(70);
// Of messages that were not taken yet; the server sends far fewer before it waits for acknowledgements.
constexpr std::size_t kMaxWaiting = 8192;

// "/v1/data-channel/ID?..." of "ws://host:port/v1/data-channel/ID?...". The host is the profile's: only that is known
// to be reachable from here.
std::string channel_target(const std::string& url) {
  const std::size_t host = url.find("://");
  const std::size_t path = host == url.npos ? host : url.find('/', host + 3);
  if (path == url.npos) throw std::runtime_error("the server answered with an invalid stream URL: " + url);
  return url.substr(path);
}

}  // namespace

ExecConnection::Event::Event() : number(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (number < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

ExecConnection::Event::~Event() { ::close(number); }

ExecConnection::ExecConnection(const client::Profile& profile, const std::string& stream_url, std::string first) {
  http::Request request{{"GET", channel_target(stream_url), {{"Host", client::host_of(profile.endpoint)}}}, ""};
  http::WebSocketLimits limits;
  limits.binary = true;
  limits.message_bytes = 2 * datachannel::kMaxPayloadBytes;
  auto reply = http::block_on(
      io_.at(0), http::connect_websocket(client::endpoint_of(profile), std::move(request), kConnectDeadline, limits));
  if (!reply) throw std::runtime_error("the data channel could not be opened: " + reply.error());
  if (!reply->socket) {
    throw std::runtime_error("the data channel was rejected with status " + std::to_string(reply->rejection.status));
  }
  socket_ = reply->socket;
  socket_->send(std::move(first));
  asio::co_spawn(io_.at(0), read_all(), asio::detached);
}

ExecConnection::~ExecConnection() {
  if (socket_) socket_->close();
  io_.stop();
}

asio::awaitable<void> ExecConnection::read_all() {
  for (;;) {
    auto message = co_await socket_->read(kSilence);
    const bool more = arrived_.with([&](Arrived& arrived) {
      if (message && arrived.messages.size() < kMaxWaiting) {
        arrived.messages.push_back(std::move(*message));
        return true;
      }
      arrived.over = true;
      return false;
    });
    notify();
    if (!more) co_return;
  }
}

void ExecConnection::notify() const {
  const std::uint64_t one = 1;
  if (::write(event_.number, &one, sizeof one) < 0) return;  // it is readable already
}

std::optional<std::string> ExecConnection::take() {
  std::uint64_t count = 0;
  if (::read(event_.number, &count, sizeof count) < 0) count = 0;
  return arrived_.with([](Arrived& arrived) -> std::optional<std::string> {
    if (arrived.messages.empty()) return std::nullopt;
    std::string first = std::move(arrived.messages.front());
    arrived.messages.pop_front();
    return first;
  });
}

bool ExecConnection::lost() const {
  return arrived_.with([](const Arrived& arrived) { return arrived.over && arrived.messages.empty(); });
}

}  // namespace cli
