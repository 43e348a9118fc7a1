// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/activity.h"

#include <algorithm>

#include "services/metric_interest.h"

namespace services::sqs {
namespace {

constexpr base::Duration kMinute = std::chrono::minutes(1);

base::Time floor_to(base::Time time, base::Duration step) {
  return base::from_millis(base::to_millis(time) - base::to_millis(time) % step.count());
}

void add_samples(SampleTimes& times, base::Time at, double value, std::int64_t count, std::size_t most) {
  if (count == 0) return;
  Samples& samples = times[at];
  auto place = samples.lower_bound(value);
  const bool known = place != samples.end() && place->first == value;
  if (!known && samples.size() >= most && place == samples.end()) place = std::prev(place);
  if (known || samples.size() >= most) {
    place->second += static_cast<double>(count);
  } else {
    samples.emplace_hint(place, value, static_cast<double>(count));
  }
}

}  // namespace

QueueActivity::Entry* QueueActivity::State::find(std::int64_t queue) {
  auto found = entries.find(queue);
  return found == entries.end() ? nullptr : &found->second;
}

QueueActivity::Entry* QueueActivity::State::use(std::int64_t queue, base::Time now) {
  Entry* entry = find(queue);
  if (!entry && entries.size() >= kMaxQueues) return nullptr;
  if (!entry) entry = &entries[queue];
  entry->used = std::max(entry->used, now);
  return entry;
}

void QueueActivity::add(std::int64_t queue, base::Time now, const QueueEvents& events) {
  state_.with([&](State& state) {
    Entry* entry = state.use(queue, now);
    if (!entry) return;
    entry->due = 2;
    const bool fine = state.watched.contains(queue);
    const base::Time at = floor_to(now, fine ? base::Duration(std::chrono::seconds(1)) : kMinute);
    auto count = [&](Counter counter, double value, std::int64_t times) {
      add_samples(entry->counters[static_cast<std::size_t>(counter)], at, value, times, kMaxDistinctSizes);
    };
    count(Counter::Sent, 1, static_cast<std::int64_t>(events.sent_sizes.size()));
    count(Counter::Received, 1, events.received);
    count(Counter::Deleted, 1, events.deleted);
    count(Counter::EmptyReceives, 1, events.empty_receives);
    count(Counter::Deduplicated, 1, events.deduplicated);
    for (std::int64_t size : events.sent_sizes) count(Counter::SentSize, static_cast<double>(size), 1);
  });
}

void QueueActivity::touch(std::int64_t queue, base::Time now) {
  state_.with([&](State& state) { state.use(queue, now); });
}

void QueueActivity::forget(std::int64_t queue) {
  state_.with([&](State& state) { state.entries.erase(queue); });
}

bool QueueActivity::watched(std::int64_t queue) const {
  return state_.with([&](const State& state) { return state.watched.contains(queue); });
}

// A watched queue has an entry, but it is not active because of that.
void QueueActivity::set_watched(const std::set<std::int64_t>& queues) {
  state_.with([&](State& state) {
    state.watched = queues;
    for (std::int64_t queue : queues) state.use(queue, base::Time());
  });
}

std::vector<std::int64_t> QueueActivity::active(base::Time now) {
  return state_.with([&](State& state) {
    std::vector<std::int64_t> queues;
    std::erase_if(state.entries, [&](const auto& one) {
      if (one.second.used > now - kActiveFor) queues.push_back(one.first);
      return one.second.used <= now - kActiveFor && !state.watched.contains(one.first);
    });
    std::sort(queues.begin(), queues.end());
    return queues;
  });
}

std::pair<std::vector<std::int64_t>, std::optional<base::Time>> QueueActivity::changed(base::Time now) {
  return state_.with([&](State& state) {
    std::pair<std::vector<std::int64_t>, std::optional<base::Time>> result;
    for (std::int64_t queue : state.watched) {
      const Entry* entry = state.find(queue);
      if (!entry || entry->due == 0) continue;
      if (entry->not_before <= now) {
        result.first.push_back(queue);
      } else {
        result.second = std::min(result.second.value_or(entry->not_before), entry->not_before);
      }
    }
    return result;
  });
}

void QueueActivity::measured(std::int64_t queue, base::Time not_before) {
  state_.with([&](State& state) {
    Entry* entry = state.find(queue);
    if (!entry) return;
    entry->due = std::max(entry->due - 1, 0);
    entry->not_before = not_before;
  });
}

SampleTimes QueueActivity::take(std::int64_t queue, Counter counter, base::Time before) {
  return state_.with([&](State& state) {
    SampleTimes taken;
    Entry* entry = state.find(queue);
    if (!entry) return taken;
    SampleTimes& samples = entry->counters[static_cast<std::size_t>(counter)];
    while (!samples.empty() && samples.begin()->first < before) taken.insert(samples.extract(samples.begin()));
    if (!taken.empty()) entry->taken[static_cast<std::size_t>(counter)] = floor_to(taken.rbegin()->first, kMinute);
    return taken;
  });
}

bool QueueActivity::taken_in(std::int64_t queue, Counter counter, base::Time minute) {
  return state_.with([&](State& state) {
    const Entry* entry = state.find(queue);
    return entry && entry->taken[static_cast<std::size_t>(counter)] >= minute;
  });
}

void note(Call& call, const Queue& queue, QueueEvents events) {
  QueueActivity& activity = call.local<QueueActivity>();
  if (activity.watched(queue.id)) call.wake(kPublishTopic);
  call.tx.on_end([&activity, id = queue.id, now = call.now, events = std::move(events)](bool committed) {
    if (committed) activity.add(id, now, events);
  });
}

}  // namespace services::sqs
