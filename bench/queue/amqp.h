// SPDX-License-Identifier: Apache-2.0
// The part of AMQP 0-9-1 that a producer and a consumer need: writing and reading frames.
// A client library writes a message in three pieces and reads on its own threads, but the
// generator must cost the same for each peer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bench::amqp {

// "class.method" as one number.
enum class Method : std::uint32_t {
  ConnectionStart = 10 << 16 | 10,
  ConnectionStartOk = 10 << 16 | 11,
  ConnectionTune = 10 << 16 | 30,
  ConnectionTuneOk = 10 << 16 | 31,
  ConnectionOpen = 10 << 16 | 40,
  ConnectionOpenOk = 10 << 16 | 41,
  ChannelOpen = 20 << 16 | 10,
  ChannelOpenOk = 20 << 16 | 11,
  QueueDeclare = 50 << 16 | 10,
  QueueDeclareOk = 50 << 16 | 11,
  QueueDelete = 50 << 16 | 40,
  QueueDeleteOk = 50 << 16 | 41,
  BasicQos = 60 << 16 | 10,
  BasicQosOk = 60 << 16 | 11,
  BasicConsume = 60 << 16 | 20,
  BasicConsumeOk = 60 << 16 | 21,
  BasicPublish = 60 << 16 | 40,
  BasicDeliver = 60 << 16 | 60,
  BasicAck = 60 << 16 | 80,
  ConfirmSelect = 85 << 16 | 10,
  ConfirmSelectOk = 85 << 16 | 11,
};

inline constexpr char kMethodFrame = 1, kHeaderFrame = 2, kBodyFrame = 3;

// Big-endian, like all of AMQP.
std::string number(std::uint64_t value, int bytes);
std::string short_text(std::string_view text);
std::string long_text(std::string_view text);

std::string frame(char type, int channel, std::string_view payload);
std::string method(int channel, Method method, std::string_view arguments);
// A persistent message to a queue, through the default exchange.
std::string publish(int channel, std::string_view queue, std::string_view body);

struct Frame {
  std::size_t size = 0;  // on the wire; 0: incomplete
  char type = 0;
  std::string_view payload;

  Method method() const;               // of a method frame
  std::string_view arguments() const;  // of a method frame
};
Frame read_frame(std::string_view bytes);
std::uint64_t read_number(std::string_view bytes, int count);

// Connects, logs in, opens channel 1. Returns the socket.
int open_channel(unsigned short port);
// Sends the method on channel 1 and waits for the reply.
void call(int fd, Method method, std::string_view arguments, Method answer);

}  // namespace bench::amqp
