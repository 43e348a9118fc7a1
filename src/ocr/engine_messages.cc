// SPDX-License-Identifier: Apache-2.0
#include "ocr/engine_messages.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>

#include "wire/error.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace ocr {
namespace {

constexpr std::size_t kMaxOrderBytes = 256;

template <class T>
std::string to_line(const T& value) {
  std::string line;
  wire::write_json(wire::type_of<T>(), &value, line);
  return line + "\n";
}

// Room for one descriptor in a message's control data.
union ControlRoom {
  char bytes[CMSG_SPACE(sizeof(int))];
  cmsghdr alignment;
};

Descriptor received_file(msghdr& message) {
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) return Descriptor();
  int file = -1;
  std::memcpy(&file, CMSG_DATA(header), sizeof file);
  return Descriptor(file);
}

}  // namespace

bool send_order(int socket, const Order& order, int file) {
  std::string line = to_line(order);
  iovec piece{line.data(), line.size()};
  ControlRoom room{};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = room.bytes;
  message.msg_controllen = sizeof room.bytes;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof file);
  std::memcpy(CMSG_DATA(header), &file, sizeof file);
  ssize_t sent;
  while ((sent = ::sendmsg(socket, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
  }
  return sent == ssize_t(line.size());
}

std::optional<ReceivedOrder> receive_order(int socket) {
  ReceivedOrder received;
  std::string line;
  // The file comes with the first byte. One order is under way at a time, so nothing follows the newline.
  while (!line.ends_with('\n')) {
    char bytes[kMaxOrderBytes];
    iovec piece{bytes, sizeof bytes};
    ControlRoom room{};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = room.bytes;
    message.msg_controllen = sizeof room.bytes;
    const ssize_t got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || line.size() > kMaxOrderBytes) return std::nullopt;
    if (Descriptor file = received_file(message)) received.file = std::move(file);
    line.append(bytes, std::size_t(got));
  }
  wire::read_json(wire::type_of<Order>(), line, &received.order);
  return received;
}

bool send_answer(int socket, const EngineAnswer& answer) {
  const std::string line = to_line(answer);
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t sent = ::send(socket, line.data() + at, line.size() - at, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += std::size_t(sent);
  }
  return true;
}

std::variant<EngineAnswer, NoAnswer> receive_answer(int socket, Deadline deadline) {
  std::string line;
  while (!line.ends_with('\n')) {
    if (line.size() > kMaxAnswerBytes) return NoAnswer::Invalid;
    pollfd readable{socket, POLLIN, 0};
    const int ready = ::poll(&readable, 1, milliseconds_until(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return NoAnswer::Late;
    char bytes[64 << 10];
    const ssize_t got = ::recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return NoAnswer::Gone;
    line.append(bytes, std::size_t(got));
  }
  EngineAnswer answer;
  try {
    wire::read_json(wire::type_of<EngineAnswer>(), line, &answer);
  } catch (const wire::ApiError&) {
    return NoAnswer::Invalid;
  }
  return answer;
}

}  // namespace ocr
