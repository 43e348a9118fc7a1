// SPDX-License-Identifier: Apache-2.0
// What a session with an agent decides: which acknowledgement means what, what is sent again, and when. It has no
// socket and no clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"

namespace doors::agents {

// Of the waits within a session: the time of day may jump.
using Steady = std::chrono::steady_clock;

struct SessionTimes {
  // The agent disconnects after one to two minutes of silence, and the server after two unanswered heartbeats.
  base::Duration heartbeat = std::chrono::seconds(15);
  base::Duration silence = std::chrono::seconds(45);
  // An agent that takes longer to acknowledge its manifest is disconnected.
  base::Duration agreement = std::chrono::seconds(30);
  // An unacknowledged payload is sent again then. An agent that has it ignores it.
  base::Duration acknowledgement = std::chrono::seconds(20);
  base::Duration renewal = std::chrono::minutes(10);  // between looks at credentials that end
};

class SessionState {
 public:
  SessionState(const SessionTimes& times, Steady::time_point now) : times_(times), began_(now) {}

  void sent_manifest(std::string message_id) { manifest_id_ = std::move(message_id); }
  bool agreed() const { return agreed_; }

  // How long to wait for the next message; nullopt where the agent took too long to agree.
  std::optional<base::Duration> patience(Steady::time_point now) const;

  struct Acknowledged {
    bool manifest = false;           // both sides agree for the first time
    std::vector<std::string> tasks;  // ARNs of a payload
  };
  Acknowledged acknowledge(const std::string& message_id);

  // The "<task>/<desired status>" that need not be sent. Forgets all of them where a payload was not acknowledged
  // in time.
  const std::set<std::string>& sent(Steady::time_point now);
  void set_sent(std::set<std::string> sent) { sent_ = std::move(sent); }
  // Returns the payload's sequence number.
  std::int64_t sent_payload(const std::string& message_id, std::vector<std::string> task_arns, Steady::time_point now);

  // Each is due at once, and then regularly.
  bool take_heartbeat(Steady::time_point now);
  bool take_renewal(Steady::time_point now);
  // Until the next heartbeat.
  base::Duration pause(Steady::time_point now) const;

 private:
  struct Payload {
    Steady::time_point sent_at;
    std::vector<std::string> task_arns;
  };

  const SessionTimes times_;
  const Steady::time_point began_;
  std::string manifest_id_;
  bool agreed_ = false;
  std::set<std::string> sent_;
  std::map<std::string, Payload> unacknowledged_;  // by message
  std::int64_t sequence_ = 1;
  Steady::time_point next_heartbeat_{}, next_renewal_{};
};

}  // namespace doors::agents
