// SPDX-License-Identifier: Apache-2.0
// Messages of the peer of a data channel, in the order of their numbers, each once. No socket, no clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "datachannel/message.h"

namespace datachannel {

class Inbox {
 public:
  // Messages that came too early, or wait to be taken. More are dropped, and come again.
  static constexpr std::size_t kMaxHeld = 1024, kMaxHeldBytes = 4 * 1024 * 1024;

  enum class Arrival { Held, Repeated, Dropped };
  // Only a message that is held is new. A repeated one was taken before: its acknowledgement got lost, and is due again.
  Arrival put(Message message);

  // The next message in order, where it has arrived. Acknowledge it: from now on it counts as received.
  std::optional<Message> take();
  bool has_next() const { return held_.contains(expected_); }

 private:
  std::int64_t expected_ = 0;
  std::map<std::int64_t, Message> held_;
  std::size_t held_bytes_ = 0;
};

}  // namespace datachannel
