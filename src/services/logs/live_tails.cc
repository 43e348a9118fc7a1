// SPDX-License-Identifier: Apache-2.0
#include "services/logs/live_tails.h"

#include <algorithm>

#include "services/logs/errors.h"

namespace services::logs {
namespace {

using shapes::logs::LiveTailSessionLogEvent;
using shapes::logs::LiveTailSessionUpdate;

bool wants_stream(const TailSpec& spec, const std::string& stream) {
  if (spec.streams.empty() && spec.prefixes.empty()) return true;
  const auto is_it = [&](const std::string& name) { return stream == name; };
  const auto starts = [&](const std::string& prefix) { return stream.starts_with(prefix); };
  return std::any_of(spec.streams.begin(), spec.streams.end(), is_it) ||
         std::any_of(spec.prefixes.begin(), spec.prefixes.end(), starts);
}

}  // namespace

TailSpec plan_live_tail(Call& call, const shapes::logs::StartLiveTailRequest& request) {
  TailSpec spec{.account = call.caller.account};
  for (const std::string& identifier : request.logGroupIdentifiers) {
    const Group group = require_identified_group(call, identifier);
    if (group.log_class != kStandard) {
      throw wire::ApiError("InvalidOperationException",
                           "Live Tail is available for log groups of class STANDARD only: " + group.name);
    }
    spec.groups[group.id] = group.arn();
  }
  spec.streams = request.logStreamNames.value_or(std::vector<std::string>());
  spec.prefixes = request.logStreamNamePrefixes.value_or(std::vector<std::string>());
  if (!spec.streams.empty() && !spec.prefixes.empty()) {
    throw invalid_parameter("logStreamNames and logStreamNamePrefixes are mutually exclusive parameters.");
  }
  if (request.logGroupIdentifiers.size() > 1 && !(spec.streams.empty() && spec.prefixes.empty())) {
    throw invalid_parameter("logStreamNames and logStreamNamePrefixes need exactly one log group.");
  }
  if (request.logEventFilterPattern) {
    auto pattern = Pattern::parse(*request.logEventFilterPattern);
    if (!pattern) throw invalid_parameter(pattern.error());
    if (!pattern->matches_everything()) spec.pattern = std::make_shared<const Pattern>(std::move(*pattern));
  }
  return spec;
}

std::optional<std::int64_t> LiveTails::open(TailSpec spec) {
  return state_.with([&](State& state) -> std::optional<std::int64_t> {
    const auto count = std::count_if(state.sessions.begin(), state.sessions.end(), [&](const auto& entry) {
      return entry.second.spec.account == spec.account;
    });
    if (static_cast<std::size_t>(count) >= kMaxSessions) return std::nullopt;
    state.sessions[++state.last].spec = std::move(spec);
    return state.last;
  });
}

void LiveTails::close(std::int64_t session) {
  state_.with([&](State& state) { state.sessions.erase(session); });
}

bool LiveTails::watches(std::int64_t group) const {
  return state_.with([&](const State& state) {
    return std::any_of(state.sessions.begin(), state.sessions.end(),
                       [&](const auto& entry) { return entry.second.spec.groups.contains(group); });
  });
}

void LiveTails::publish(const Offer& offer) {
  state_.with([&](State& state) {
    for (auto& [id, session] : state.sessions) {
      const auto group = session.spec.groups.find(offer.group);
      if (group == session.spec.groups.end() || !wants_stream(session.spec, offer.stream)) continue;
      for (const auto& [timestamp, message] : offer.events) {
        if (session.spec.pattern && !session.spec.pattern->matches(message)) continue;
        session.events.push_back({offer.stream, group->second, message, timestamp, offer.ingested_ms});
        session.bytes += message.size();
        while (session.events.size() > kMaxKeptEvents || session.bytes > kMaxKeptBytes) {
          session.bytes -= session.events.front().message->size();
          session.events.pop_front();
          session.dropped = true;
        }
      }
    }
  });
}

LiveTailSessionUpdate LiveTails::take(std::int64_t id) {
  LiveTailSessionUpdate update;
  std::deque<LiveTailSessionLogEvent> events;
  const bool dropped = state_.with([&](State& state) {
    const auto found = state.sessions.find(id);
    if (found == state.sessions.end()) return false;
    events.swap(found->second.events);
    found->second.bytes = 0;
    return std::exchange(found->second.dropped, false);
  });
  const std::size_t shown = std::min(events.size(), kMaxUpdateEvents);
  update.sessionMetadata = shapes::logs::LiveTailSessionMetadata{dropped || shown < events.size()};
  update.sessionResults.emplace();
  // Evenly spread over what there is.
  for (std::size_t i = 0; i < shown; ++i) {
    update.sessionResults->push_back(std::move(events[i * events.size() / shown]));
  }
  return update;
}

void offer_to_live_tails(Call& call, const Ingested& put) {
  LiveTails& tails = call.local<LiveTails>();
  if (!tails.watches(put.group.id)) return;
  auto offer = std::make_shared<LiveTails::Offer>();  // shared: a callback must be copyable
  offer->group = put.group.id;
  offer->ingested_ms = base::to_millis(call.now);
  offer->stream = put.stream;
  for (const telemetry::NewEvent& event : put.events) {
    offer->events.emplace_back(event.timestamp_ms, std::string(event.message));
  }
  call.tx.on_end([&tails, offer](bool committed) {
    if (committed) tails.publish(*offer);
  });
}

}  // namespace services::logs
