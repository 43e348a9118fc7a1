// SPDX-License-Identifier: Apache-2.0
// The sessions of StartLiveTail, in memory: committed events are offered to those that watch their group, and wait
// there until the session's next update.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "services/call.h"
#include "services/logs/ingest.h"
#include "services/logs/patterns/pattern.h"
#include "shapes/logs/live_tail.h"

namespace services::logs {

// What a session wants to see.
struct TailSpec {
  std::string account;
  std::map<std::int64_t, std::string> groups;  // and their ARNs
  std::vector<std::string> streams, prefixes;  // of names; both empty: all
  std::shared_ptr<const Pattern> pattern;      // null: everything; shared with copies of this
};

// Checks the request on a snapshot. Throws ApiError.
TailSpec plan_live_tail(Call& call, const shapes::logs::StartLiveTailRequest& request);

class LiveTails {
 public:
  static constexpr std::size_t kMaxSessions = 15;     // of an account
  static constexpr std::size_t kMaxUpdateEvents = 500;
  static constexpr std::size_t kMaxKeptEvents = 5000;  // for a slow reader; the oldest go first
  static constexpr std::size_t kMaxKeptBytes = 16u << 20;

  // The id of a new session; nullopt where the account has as many as it may.
  std::optional<std::int64_t> open(TailSpec spec);
  void close(std::int64_t session);

  bool watches(std::int64_t group) const;
  // Events of a committed request, for one group and stream.
  struct Offer {
    std::int64_t group = 0, ingested_ms = 0;
    std::string stream;
    std::vector<std::pair<std::int64_t, std::string>> events;  // timestamp, message
  };
  void publish(const Offer& offer);

  // What has come since the last call: an update's worth, or a sample of it.
  shapes::logs::LiveTailSessionUpdate take(std::int64_t session);

 private:
  struct Session {
    TailSpec spec;
    std::deque<shapes::logs::LiveTailSessionLogEvent> events;
    std::size_t bytes = 0;
    bool dropped = false;
  };
  struct State {
    std::int64_t last = 0;
    std::map<std::int64_t, Session> sessions;
  };

  base::Guarded<State> state_;
};

// Offers the events to live tails once they are committed.
void offer_to_live_tails(Call& call, const Ingested& put);

}  // namespace services::logs
