// SPDX-License-Identifier: Apache-2.0
#include "amqp.h"

#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

#include "support/load.h"

namespace bench::amqp {
namespace {

constexpr char kFrameEnd = '\xce';
constexpr int kFrameHead = 7;  // type, channel, size
constexpr int kBasicClass = 60;
constexpr int kDeliveryModeFlag = 1 << 12, kPersistent = 2;

void send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) throw std::runtime_error("RabbitMQ closed the connection");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string read_exactly(int fd, std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t got = 0; got < size;) {
    const ssize_t part = ::recv(fd, bytes.data() + got, size - got, 0);
    if (part <= 0) throw std::runtime_error("RabbitMQ closed the connection");
    got += static_cast<std::size_t>(part);
  }
  return bytes;
}

// Reads one frame, which must be this method; returns its arguments.
std::string expect(int fd, Method wanted) {
  std::string bytes = read_exactly(fd, kFrameHead);
  bytes += read_exactly(fd, read_number(std::string_view(bytes).substr(3), 4) + 1);
  const Frame got = read_frame(bytes);
  if (got.type != kMethodFrame || got.method() != wanted) {
    throw std::runtime_error("RabbitMQ answered with " + std::string(got.payload));
  }
  return std::string(got.arguments());
}

}  // namespace

std::string number(std::uint64_t value, int bytes) {
  std::string out;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
  return out;
}

std::string short_text(std::string_view text) { return number(text.size(), 1).append(text); }
std::string long_text(std::string_view text) { return number(text.size(), 4).append(text); }

std::string frame(char type, int channel, std::string_view payload) {
  std::string out(1, type);
  out += number(static_cast<std::uint64_t>(channel), 2);
  return out.append(long_text(payload)).append(1, kFrameEnd);
}

std::string method(int channel, Method method, std::string_view arguments) {
  return frame(kMethodFrame, channel, number(static_cast<std::uint32_t>(method), 4).append(arguments));
}

std::string publish(int channel, std::string_view queue, std::string_view body) {
  const std::string arguments = number(0, 2) + short_text("") + short_text(queue) + number(0, 1);
  const std::string header = number(kBasicClass, 2) + number(0, 2) + number(body.size(), 8) +
                             number(kDeliveryModeFlag, 2) + number(kPersistent, 1);
  return method(channel, Method::BasicPublish, arguments) + frame(kHeaderFrame, channel, header) +
         frame(kBodyFrame, channel, body);
}

std::uint64_t read_number(std::string_view bytes, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
  return value;
}

Frame read_frame(std::string_view bytes) {
  if (bytes.size() < kFrameHead) return {};
  const std::size_t length = read_number(bytes.substr(3), 4);
  if (bytes.size() < kFrameHead + length + 1) return {};
  return {kFrameHead + length + 1, bytes[0], bytes.substr(kFrameHead, length)};
}

Method Frame::method() const { return static_cast<Method>(read_number(payload, 4)); }
std::string_view Frame::arguments() const { return payload.substr(4); }

int open_channel(unsigned short port) {
  using namespace std::string_literals;
  const int fd = connect_to(port);
  try {
    send_all(fd, "AMQP\0\0\x09\x01"s);
    expect(fd, Method::ConnectionStart);
    const std::string login = long_text("") + short_text("PLAIN") + long_text("\0guest\0guest"s) + short_text("en_US");
    send_all(fd, method(0, Method::ConnectionStartOk, login));
    std::string tune = expect(fd, Method::ConnectionTune);
    tune.replace(6, 2, number(0, 2));  // no heartbeats
    send_all(fd, method(0, Method::ConnectionTuneOk, tune));
    send_all(fd, method(0, Method::ConnectionOpen, short_text("/") + short_text("") + number(0, 1)));
    expect(fd, Method::ConnectionOpenOk);
    call(fd, Method::ChannelOpen, short_text(""), Method::ChannelOpenOk);
  } catch (...) {
    ::close(fd);
    throw;
  }
  return fd;
}

void call(int fd, Method name, std::string_view arguments, Method answer) {
  send_all(fd, method(1, name, arguments));
  expect(fd, answer);
}

}  // namespace bench::amqp
