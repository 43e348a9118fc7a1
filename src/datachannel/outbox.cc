// SPDX-License-Identifier: Apache-2.0
#include "datachannel/outbox.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/random.h"

namespace datachannel {

void RoundTrip::measured(Milliseconds took) {
  const auto sample = static_cast<double>(took.count());
  variation_ms_ = 0.75 * variation_ms_ + 0.25 * std::abs(sample - mean_ms_);
  mean_ms_ = 0.875 * mean_ms_ + 0.125 * sample;
  const double timeout = mean_ms_ + std::max(10.0, 4 * variation_ms_);
  timeout_ = std::min(Milliseconds(static_cast<std::int64_t>(timeout)), kLongestTimeout);
}

bool Outbox::connect() {
  if (open_.size() > kMaxOpen) return false;
  connected_ = true;
  open_of_connection_ = 0;
  for (Open& open : open_) {
    open.sent = false;
    open.repeated = true;
    open.former = true;
  }
  return true;
}

std::string Outbox::add(PayloadType type, std::string payload, std::int64_t now_ms, Steady now) {
  CHECK(has_room()) << "a message beyond the window";
  Message message;
  message.type = type_;
  message.created_ms = now_ms;
  message.sequence = next_sequence_++;
  message.flags = message.sequence == 0 ? kSyn : 0;
  message.id = base::random_uuid();
  message.payload_type = type;
  message.payload = std::move(payload);
  Open open;
  open.sequence = message.sequence;
  open.type = type;
  open.bytes = encode(message);
  open.sent_at = now;
  open.sent = true;
  open_.push_back(std::move(open));
  ++open_of_connection_;
  return open_.back().bytes;
}

std::vector<std::string> Outbox::take_due(Steady now) {
  std::vector<std::string> due;
  if (!connected_) return due;
  for (Open& open : open_) {
    const bool late = &open == &open_.front() && now - open.sent_at >= round_trip_.timeout();
    if (open.sent && !late) continue;
    open.repeated = open.repeated || open.sent;
    open.sent = true;
    open.sent_at = now;
    due.push_back(open.bytes);
  }
  return due;
}

std::optional<Steady> Outbox::next_due() const {
  if (!connected_ || open_.empty()) return std::nullopt;
  const bool unsent = std::ranges::any_of(open_, [](const Open& open) { return !open.sent; });
  return unsent ? Steady() : open_.front().sent_at + round_trip_.timeout();
}

void Outbox::acknowledge(std::int64_t sequence, Steady now) {
  const auto found = std::ranges::find(open_, sequence, &Open::sequence);
  if (found == open_.end() || !found->sent) return;
  if (!found->repeated) round_trip_.measured(std::chrono::duration_cast<Milliseconds>(now - found->sent_at));
  if (found->type == PayloadType::Output) peer_prints_ = true;
  if (!found->former) --open_of_connection_;
  const bool first_sent_here = !found->former;
  open_.erase(found);
  if (first_sent_here) settle_before(sequence);
}

// The stock plugin does not acknowledge a message twice: if its first acknowledgement got lost with a connection, none
// follows. Messages arrive in order, so a later one that is acknowledged proves that those of former connections
// arrived before it. Until the plugin prints, it may also have dropped them: then they are sent until acknowledged.
void Outbox::settle_before(std::int64_t sequence) {
  if (!peer_prints_) return;
  std::erase_if(open_, [&](const Open& open) { return open.former && open.sent && open.sequence < sequence; });
}

}  // namespace datachannel
