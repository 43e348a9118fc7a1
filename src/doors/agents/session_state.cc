// SPDX-License-Identifier: Apache-2.0
#include "doors/agents/session_state.h"

namespace doors::agents {
namespace {

// True where `due` has come; moves it on.
bool take_turn(Steady::time_point& due, base::Duration every, Steady::time_point now) {
  if (now < due) return false;
  due = now + every;
  return true;
}

}  // namespace

std::optional<base::Duration> SessionState::patience(Steady::time_point now) const {
  if (agreed_) return times_.silence;
  // Other messages do not extend this deadline.
  const auto left = std::chrono::duration_cast<base::Duration>(began_ + times_.agreement - now);
  if (left <= base::Duration::zero()) return std::nullopt;
  return left;
}

SessionState::Acknowledged SessionState::acknowledge(const std::string& message_id) {
  Acknowledged acknowledged;
  if (message_id == manifest_id_ && !agreed_) {
    agreed_ = acknowledged.manifest = true;
    return acknowledged;
  }
  auto found = unacknowledged_.find(message_id);
  if (found == unacknowledged_.end()) return acknowledged;
  acknowledged.tasks = std::move(found->second.task_arns);
  unacknowledged_.erase(found);
  return acknowledged;
}

const std::set<std::string>& SessionState::sent(Steady::time_point now) {
  const auto overdue = [&](const auto& entry) { return now - entry.second.sent_at > times_.acknowledgement; };
  if (std::erase_if(unacknowledged_, overdue) > 0) sent_.clear();
  return sent_;
}

std::int64_t SessionState::sent_payload(const std::string& message_id, std::vector<std::string> task_arns,
                                        Steady::time_point now) {
  unacknowledged_[message_id] = {now, std::move(task_arns)};
  return sequence_++;
}

bool SessionState::take_heartbeat(Steady::time_point now) { return take_turn(next_heartbeat_, times_.heartbeat, now); }

bool SessionState::take_renewal(Steady::time_point now) { return take_turn(next_renewal_, times_.renewal, now); }

base::Duration SessionState::pause(Steady::time_point now) const {
  return std::chrono::ceil<base::Duration>(next_heartbeat_ - now);
}

}  // namespace doors::agents
