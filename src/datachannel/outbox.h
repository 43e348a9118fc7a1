// SPDX-License-Identifier: Apache-2.0
// Messages on their way to the peer of a data channel: numbered, kept until they are acknowledged, sent again when an
// acknowledgement is late. No socket, no clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datachannel/message.h"

namespace datachannel {

using Steady = std::chrono::steady_clock::time_point;
using Milliseconds = std::chrono::milliseconds;

// The peer's round trip, estimated as in TCP (RFC 6298), with the stock agent's constants.
class RoundTrip {
 public:
  static constexpr Milliseconds kFirstTimeout{200}, kLongestTimeout{1000};

  void measured(Milliseconds took);
  Milliseconds timeout() const { return timeout_; }

 private:
  double mean_ms_ = 100, variation_ms_ = 0;
  Milliseconds timeout_ = kFirstTimeout;
};

class Outbox {
 public:
  // Messages that one connection may leave unacknowledged. The stock plugin keeps 10,000.
  static constexpr std::size_t kWindow = 128;
  // Unacknowledged messages of all connections of a session; with more than that it cannot be resumed.
  static constexpr std::size_t kMaxOpen = 8 * kWindow;

  // `type` is kInput or kOutput.
  explicit Outbox(std::string_view type) : type_(type) {}

  // Whether another message may be added now.
  bool has_room() const { return connected_ && open_of_connection_ < kWindow; }
  // Every added message is acknowledged.
  bool empty() const { return open_.empty(); }

  // A new connection: all that is not acknowledged is sent again. False: that would be too much.
  bool connect();
  void disconnect() { connected_ = false; }

  // Returns the bytes to send.
  std::string add(PayloadType type, std::string payload, std::int64_t now_ms, Steady now);
  // Bytes to send again: everything after connect(), otherwise the oldest message where its timeout has passed.
  std::vector<std::string> take_due(Steady now);
  // When take_due() has something next; nullopt: only after another call.
  std::optional<Steady> next_due() const;

  // Ignores numbers that are not open.
  void acknowledge(std::int64_t sequence, Steady now);

 private:
  struct Open {
    std::int64_t sequence = 0;
    PayloadType type = PayloadType::None;
    std::string bytes;
    Steady sent_at;
    bool sent = false;    // on this connection
    bool repeated = false;  // its acknowledgement may be that of an earlier send
    bool former = false;  // first sent on a former connection
  };

  void settle_before(std::int64_t sequence);

  const std::string_view type_;
  std::deque<Open> open_;  // by sequence number
  std::int64_t next_sequence_ = 0;
  std::size_t open_of_connection_ = 0;  // without former ones
  bool connected_ = false;
  bool peer_prints_ = false;  // it has acknowledged output
  RoundTrip round_trip_;
};

}  // namespace datachannel
