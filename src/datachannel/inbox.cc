// SPDX-License-Identifier: Apache-2.0
#include "datachannel/inbox.h"

#include <utility>

namespace datachannel {

Inbox::Arrival Inbox::put(Message message) {
  if (message.sequence < expected_) return Arrival::Repeated;
  // The expected one always finds room: the others wait for it.
  const bool full = held_.size() >= kMaxHeld || held_bytes_ + message.payload.size() > kMaxHeldBytes;
  if (full && message.sequence != expected_) return Arrival::Dropped;
  const std::int64_t sequence = message.sequence;
  const std::size_t bytes = message.payload.size();
  if (held_.try_emplace(sequence, std::move(message)).second) held_bytes_ += bytes;
  return Arrival::Held;
}

std::optional<Message> Inbox::take() {
  auto next = held_.extract(expected_);
  if (next.empty()) return std::nullopt;
  ++expected_;
  held_bytes_ -= next.mapped().payload.size();
  return std::move(next.mapped());
}

}  // namespace datachannel
