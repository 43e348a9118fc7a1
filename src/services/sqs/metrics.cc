// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/metrics.h"

#include <algorithm>
#include <array>

#include "services/sqs/lot.h"

namespace services::sqs {
namespace {

// Amazon: the age skips messages that were received three times or more, unless the queue is FIFO.
constexpr std::int64_t kSkippedReceives = 3;
// A queue is not measured again for so long after a change, and longer if it holds many messages.
constexpr base::Duration kBetweenMeasurements = std::chrono::milliseconds(20);
constexpr std::int64_t kMessagesPerMillisecond = 2000;
constexpr base::Duration kMinuteLength = std::chrono::minutes(1);

struct CounterName {
  const char* name;
  const char* unit;
  bool fifo_only, zero;  // zero: an active queue without events has a sample of 0
};
// In the order of Counter.
constexpr std::array<CounterName, kCounters> kCounterNames = {{
    {"NumberOfMessagesSent", "Count", false, true},
    {"NumberOfMessagesReceived", "Count", false, true},
    {"NumberOfMessagesDeleted", "Count", false, true},
    {"NumberOfEmptyReceives", "Count", false, true},
    {"NumberOfDeduplicatedSentMessages", "Count", true, true},
    {"SentMessageSize", "Bytes", false, false},
}};

struct LevelName {
  const char* name;
  const char* unit;
  std::int64_t QueueLevels::*member;
  bool fifo_only = false;
};
constexpr std::array<LevelName, 5> kLevelNames = {{
    {"ApproximateNumberOfMessagesVisible", "Count", &QueueLevels::visible},
    {"ApproximateNumberOfMessagesNotVisible", "Count", &QueueLevels::in_flight},
    {"ApproximateNumberOfMessagesDelayed", "Count", &QueueLevels::delayed},
    {"ApproximateAgeOfOldestMessage", "Seconds", &QueueLevels::age_s},
    {"ApproximateNumberOfGroupsWithInflightMessages", "Count", &QueueLevels::groups_in_flight, true},
}};

base::Time minute_of(base::Time time) {
  return base::from_millis(base::to_millis(time) - base::to_millis(time) % kMinuteLength.count());
}

Measurement point_of(const Queue& queue, const char* name, const char* unit, base::Time at, bool high_resolution) {
  Measurement point;
  point.metric = {queue.account, queue.region, kMetricSpace, name, {{"QueueName", queue.name}}};
  point.unit = unit;
  point.at = at;
  point.high_resolution = high_resolution;
  return point;
}

bool receives_dead_letters(store::Tx& tx, const Queue& queue) {
  return tx.query("SELECT 1 FROM sqs_queues WHERE dead_letter_arn = $1 LIMIT 1", queue.arn()).integer() == 1;
}

void add_levels(const Queue& queue, const QueueLevels& levels, base::Time now, bool all,
                const std::set<std::string>& wanted, Measured& into) {
  for (const LevelName& level : kLevelNames) {
    const bool of_interest = wanted.contains(level.name);
    if ((level.fifo_only && !queue.fifo) || (!all && !of_interest)) continue;
    Measurement point = point_of(queue, level.name, level.unit, now, of_interest);
    point.values = {static_cast<double>(levels.*level.member)};
    point.counts = {1};
    into.points.push_back(std::move(point));
  }
}

void add_counter(QueueActivity& activity, const Queue& queue, Counter counter, base::Time now, bool of_interest,
                 bool minute, Measured& into) {
  const CounterName& name = kCounterNames[static_cast<std::size_t>(counter)];
  // A minute is published when it is over; what is of interest, at once.
  const base::Time before = of_interest ? now + base::Duration(1) : minute_of(now);
  for (const auto& [at, samples] : activity.take(queue.id, counter, before)) {
    Measurement point = point_of(queue, name.name, name.unit, at, of_interest);
    for (const auto& [value, count] : samples) {
      point.values.push_back(value);
      point.counts.push_back(count);
    }
    into.points.push_back(std::move(point));
  }
  const base::Time last_minute = minute_of(now) - kMinuteLength;
  if (!minute || !name.zero || activity.taken_in(queue.id, counter, last_minute)) return;
  Measurement none = point_of(queue, name.name, name.unit, last_minute, false);
  none.values = {0};
  none.counts = {1};
  into.points.push_back(std::move(none));
}

bool wants_levels(const std::set<std::string>& wanted) {
  return std::any_of(kLevelNames.begin(), kLevelNames.end(),
                     [&](const LevelName& level) { return wanted.contains(level.name); });
}

}  // namespace

// One scan of the index that covers the counts. Messages behind the head of a FIFO group are visible, as in
// count_messages().
QueueLevels read_levels(store::Tx& tx, const Queue& queue, base::Time now) {
  QueueLevels levels;
  const bool buried = !queue.fifo && receives_dead_letters(tx, queue);
  const std::int64_t most_receives = queue.fifo ? kBlocked : kSkippedReceives;
  // A dead letter's age starts again when it is moved: until it is received there, that is its visible_at.
  tx.query("SELECT count(CASE WHEN visible_at <= $2 OR visible_at = $3 THEN 1 END),"
           " count(CASE WHEN visible_at > $2 AND visible_at < $3 AND receive_count > 0 THEN 1 END),"
           " count(CASE WHEN visible_at > $2 AND visible_at < $3 AND receive_count = 0 THEN 1 END),"
           " min(CASE WHEN $5 = 1 AND receive_count = 0 AND visible_at > sent_at THEN visible_at"
           " WHEN receive_count < $6 THEN sent_at END)"
           " FROM sqs_messages WHERE lot = $1 AND sent_at > $4",
           queue.lot, now, kBlocked, queue.expired_at(now), buried ? 1 : 0, most_receives)
      .each([&](const store::Row& row) {
        levels.visible = row.integer(0);
        levels.in_flight = row.integer(1);
        levels.delayed = row.integer(2);
        if (!row.is_null(3)) levels.age_s = std::max<std::int64_t>((now - row.time(3)).count(), 0) / 1000;
      });
  if (!queue.fifo || levels.in_flight == 0) return levels;
  levels.groups_in_flight =
      tx.query("SELECT count(DISTINCT group_id) FROM sqs_messages WHERE lot = $1 AND visible_at > $2"
               " AND visible_at < $3 AND receive_count > 0 AND sent_at > $4",
               queue.lot, now, kBlocked, queue.expired_at(now))
          .integer();
  return levels;
}

void QueueMeter::find_wanted(Call& call, const Due& due) {
  wanted_.clear();
  std::set<std::int64_t> ids;
  for (const MetricKey& metric : due.interest) {
    if (metric.space != kMetricSpace || metric.dimensions.size() != 1) continue;
    const auto& [dimension, name] = *metric.dimensions.begin();
    if (dimension != "QueueName") continue;
    const auto queue = load_queue(call.tx, QueueName{metric.account, metric.region, name});
    if (!queue) continue;
    wanted_[queue->id].insert(metric.name);
    ids.insert(queue->id);
  }
  call.local<QueueActivity>().set_watched(ids);
}

void QueueMeter::measure_queue(Call& call, std::int64_t id, bool all, bool wanted, Measured& into) {
  QueueActivity& activity = call.local<QueueActivity>();
  const auto queue = load_queue(call.tx, id);
  if (!queue) {
    activity.forget(id);
    return;
  }
  static const Names kNone;
  const auto found = wanted_.find(id);
  const Names& names = wanted && found != wanted_.end() ? found->second : kNone;
  base::Time not_before = call.now + kBetweenMeasurements;
  if (all || wants_levels(names)) {
    const QueueLevels levels = read_levels(call.tx, *queue, call.now);
    add_levels(*queue, levels, call.now, all, names, into);
    not_before += base::Duration(levels.messages() / kMessagesPerMillisecond);
    if (levels.messages() > 0 && all) activity.touch(id, call.now);
  }
  for (std::size_t i = 0; i < kCounters; ++i) {
    const bool of_interest = names.contains(kCounterNames[i].name);
    if ((kCounterNames[i].fifo_only && !queue->fifo) || (!all && !of_interest)) continue;
    add_counter(activity, *queue, static_cast<Counter>(i), call.now, of_interest, all, into);
  }
  activity.measured(id, not_before);
}

Measured QueueMeter::measure(Call& call, const Due& due) {
  QueueActivity& activity = call.local<QueueActivity>();
  Measured result;
  if (due.second || due.interest.empty()) find_wanted(call, due);
  std::map<std::int64_t, bool> turns;  // by queue: all of its metrics
  if (due.minute) {
    for (std::int64_t id : activity.active(call.now)) turns[id] = true;
  }
  if (due.second) {
    for (const auto& [id, names] : wanted_) turns.emplace(id, false);
  } else {
    for (std::int64_t id : activity.changed(call.now).first) turns.emplace(id, false);
  }
  for (const auto& [id, all] : turns) measure_queue(call, id, all, wanted_.contains(id), result);
  result.again = activity.changed(call.now).second;
  return result;
}

void find_active_queues(Call& call) {
  QueueActivity& activity = call.local<QueueActivity>();
  call.tx
      .query("SELECT id FROM sqs_queues AS queue WHERE EXISTS"
             " (SELECT 1 FROM sqs_messages WHERE sqs_messages.lot = queue.lot)")
      .each([&](const store::Row& row) { activity.touch(row.integer(0), call.now); });
}

}  // namespace services::sqs
