// SPDX-License-Identifier: Apache-2.0
#include "http/listener.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "http/date.h"

namespace http {
namespace {

constexpr int kBacklog = 1024;
constexpr std::size_t kIpv6NetworkBytes = 8;

[[noreturn]] void fail(const std::string& where, const std::string& why) {
  throw std::runtime_error("cannot listen on " + where + ": " + why);
}

std::string reason(int error) { return std::strerror(error); }

std::string peer_name(const sockaddr_storage& from) {
  char text[INET6_ADDRSTRLEN] = "";
  if (from.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(from);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    return std::string(text) + ":" + std::to_string(ntohs(v4.sin_port));
  }
  if (from.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(from);
    // An IPv4 client of a dual-stack listener has its IPv4 address, which bucket policies match.
    if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
      inet_ntop(AF_INET, &v6.sin6_addr.s6_addr[12], text, sizeof text);
      return std::string(text) + ":" + std::to_string(ntohs(v6.sin6_port));
    }
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    return "[" + std::string(text) + "]:" + std::to_string(ntohs(v6.sin6_port));
  }
  return "unix";
}

// The unit of limits by address: the address, or the network of an IPv6 address, because a client has all of it.
std::string peer_address(const sockaddr_storage& from) {
  if (from.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(from);
    return {reinterpret_cast<const char*>(&v4.sin_addr), sizeof v4.sin_addr};
  }
  if (from.ss_family != AF_INET6) return "";
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(from).sin6_addr;
  const auto* bytes = reinterpret_cast<const char*>(v6.s6_addr);
  return IN6_IS_ADDR_V4MAPPED(&v6) ? std::string(bytes + 12, 4) : std::string(bytes, kIpv6NetworkBytes);
}

// Whether a server listens on this socket file. A killed server leaves its file behind.
bool somebody_listens(const sockaddr_un& name) {
  Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

int Descriptor::release() {
  int fd = fd_;
  fd_ = -1;
  return fd;
}

Descriptor open_tcp_listener(const std::string& address, unsigned short port) {
  std::string where = address + ":" + std::to_string(port);
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  int failed = ::getaddrinfo(address.empty() ? nullptr : address.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failed) fail(where, ::gai_strerror(failed));
  std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> freed(found, ::freeaddrinfo);
  Descriptor listener(::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  int on = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(listener.get(), found->ai_addr, found->ai_addrlen) != 0 || ::listen(listener.get(), kBacklog) != 0) {
    fail(where, reason(errno));
  }
  return listener;
}

Descriptor open_unix_listener(const std::string& path) {
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof name.sun_path) fail(path, "the path of a socket must have 1 to 107 bytes");
  std::memcpy(name.sun_path, path.data(), path.size());
  struct stat status;
  if (::lstat(path.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode)) fail(path, "the file exists and is not a socket");
    if (somebody_listens(name)) fail(path, reason(EADDRINUSE));
    ::unlink(path.c_str());
  }
  Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  // Set the mode before listen(), which lets clients connect.
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0 ||
      ::chmod(path.c_str(), 0600) != 0 || ::listen(listener.get(), kBacklog) != 0) {
    fail(path, reason(errno));
  }
  return listener;
}

unsigned short bound_port(int fd) {
  sockaddr_storage bound = {};
  socklen_t size = sizeof bound;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size);
  if (bound.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(bound).sin_port);
  if (bound.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(bound).sin6_port);
  return 0;
}

Accepted accept_one(int listener, int& error) {
  sockaddr_storage from = {};
  socklen_t size = sizeof from;
  Accepted accepted;
  accepted.fd = ::accept4(listener, reinterpret_cast<sockaddr*>(&from), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  error = accepted.fd < 0 ? errno : 0;
  if (accepted.fd < 0) return accepted;
  accepted.family = from.ss_family;
  accepted.peer = peer_name(from);
  accepted.address = peer_address(from);
  int on = 1;
  if (from.ss_family != AF_UNIX) ::setsockopt(accepted.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return accepted;
}

void turn_away(const Accepted& accepted) {
  Descriptor connection(accepted.fd);
  std::string answer;
  ResponseForm form;
  form.close = true;
  Response response = text_response(503, "Too many connections.");
  write_head(response, form, current_date(), answer);
  answer += response.body;
  // Over TLS nothing can be sent before a handshake.
  if (!accepted.tls) (void)::send(connection.get(), answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace http
