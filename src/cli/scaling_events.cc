// SPDX-License-Identifier: Apache-2.0
#include "cli/scaling_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "wire/error.h"
#include "wire/json.h"
#include "wire/timestamp.h"
#include "wire/type_of.h"

namespace cli {
namespace {

using shapes::autoscaling::Activity;
using shapes::cloudwatch::AlarmHistoryItem;
using ServiceActivity = shapes::application_autoscaling::ScalingActivity;

// CloudWatch repeats the actions of an alarm every minute, with newer values than its change of state had.
constexpr base::Duration kFirstActions = std::chrono::seconds(59);

// The parts of an alarm's history that we read.
struct ReasonData {
  std::optional<std::vector<double>> recentDatapoints;
  std::optional<double> threshold;
};
BOOST_DESCRIBE_STRUCT(ReasonData, (), (recentDatapoints, threshold))
struct NewState {
  std::optional<std::string> stateValue;
  std::optional<ReasonData> stateReasonData;
};
BOOST_DESCRIBE_STRUCT(NewState, (), (stateValue, stateReasonData))
struct StateChange {
  std::optional<NewState> newState;
};
BOOST_DESCRIBE_STRUCT(StateChange, (), (newState))

std::optional<std::int32_t> parse_count(std::string_view text) {
  std::int32_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return count;
}

// "a monitor alarm A in state ALARM triggered policy P" sets alarm, state and "policy P"; other text is the reason.
void set_reason(ScalingEvent& event, std::string_view text) {
  event.reason = text;
  constexpr std::string_view kAlarm = "monitor alarm ";
  if (text.starts_with("a ")) text.remove_prefix(2);
  if (!text.starts_with(kAlarm)) return;
  text.remove_prefix(kAlarm.size());
  for (const std::string state : {"ALARM", "OK", "INSUFFICIENT_DATA"}) {
    const std::string middle = " in state " + state + " triggered ";
    const std::size_t at = text.find(middle);
    if (at == text.npos) continue;
    event.alarm = text.substr(0, at);
    event.alarmState = state;
    event.reason = text.substr(at + middle.size());
    return;
  }
}

// "At 2026-11-18T09:00:00Z REASON changing the desired capacity from 0 to 2."
std::optional<ScalingEvent> parse_sentence(std::string_view sentence) {
  constexpr std::string_view kAt = "At ", kChange = " changing the desired capacity from ", kTo = " to ";
  if (!sentence.starts_with(kAt) || !sentence.ends_with('.')) return std::nullopt;
  sentence = sentence.substr(kAt.size(), sentence.size() - kAt.size() - 1);
  const std::size_t space = sentence.find(' ');
  const std::size_t change = sentence.rfind(kChange);
  if (space == sentence.npos || change == sentence.npos || change < space + 1) return std::nullopt;
  const std::string_view counts = sentence.substr(change + kChange.size());
  const std::size_t to = counts.find(kTo);
  const auto time = wire::from_iso8601(sentence.substr(0, space));
  if (!time || to == counts.npos) return std::nullopt;
  ScalingEvent event{.time = *time};
  event.from = parse_count(counts.substr(0, to));
  event.to = parse_count(counts.substr(to + kTo.size()));
  if (!event.from || !event.to) return std::nullopt;
  set_reason(event, sentence.substr(space + 1, change - space - 1));
  return event;
}

// "Setting desired count to 3."
std::optional<std::int32_t> desired_of(std::string_view description) {
  constexpr std::string_view kSetting = "Setting desired count to ";
  if (!description.starts_with(kSetting) || !description.ends_with('.')) return std::nullopt;
  return parse_count(description.substr(kSetting.size(), description.size() - kSetting.size() - 1));
}

// "service default/web" of "service/default/web"
std::string target_of(std::string resource) {
  if (resource.starts_with("service/")) resource[7] = ' ';
  return resource;
}

// History that a user's SetAlarmState wrote may have another form.
std::optional<NewState> parse_change(const AlarmHistoryItem& item) {
  StateChange change;
  try {
    wire::read_json(wire::type_of<StateChange>(), item.HistoryData.value_or("{}"), &change);
  } catch (const wire::ApiError&) {
    return std::nullopt;
  }
  return change.newState;
}

void sort_newest_first(std::vector<ScalingEvent>& events) {
  std::ranges::stable_sort(events, std::ranges::greater(), &ScalingEvent::time);
}

std::string change_text(const ScalingEvent& event) {
  if (!event.to) return "-";
  return (event.from ? std::to_string(*event.from) + " -> " : "-> ") + std::to_string(*event.to);
}

}  // namespace

std::vector<std::string_view> cause_sentences(std::string_view cause) {
  constexpr std::string_view kBetween = "  At ";
  std::vector<std::string_view> sentences;
  for (std::size_t end = cause.find(kBetween); end != cause.npos; end = cause.find(kBetween)) {
    sentences.push_back(cause.substr(0, end));
    cause.remove_prefix(end + 2);
  }
  sentences.push_back(cause);
  return sentences;
}

std::vector<ScalingEvent> events_of_groups(const std::vector<Activity>& activities) {
  std::vector<ScalingEvent> events;
  std::set<std::pair<std::string, std::string_view>> seen;
  for (const Activity& activity : activities) {
    const std::vector<std::string_view> sentences = cause_sentences(activity.Cause);
    // The last change of a cause is the newest.
    for (auto sentence = sentences.rbegin(); sentence != sentences.rend(); ++sentence) {
      auto event = parse_sentence(*sentence);
      if (!event || !seen.emplace(activity.AutoScalingGroupName, *sentence).second) continue;
      event->target = "group " + activity.AutoScalingGroupName;
      events.push_back(std::move(*event));
    }
  }
  sort_newest_first(events);
  return events;
}

std::vector<ScalingEvent> events_of_services(const std::vector<ServiceActivity>& activities) {
  std::vector<ScalingEvent> events;
  for (const ServiceActivity& activity : activities) {
    ScalingEvent event{.time = activity.StartTime, .target = target_of(activity.ResourceId)};
    event.to = desired_of(activity.Description);
    set_reason(event, activity.Cause);
    if (!event.to) event.reason = activity.Description + ": " + event.reason;
    if (activity.StatusCode == "Failed") event.error = activity.StatusMessage.value_or("Failed");
    events.push_back(std::move(event));
  }
  sort_newest_first(events);
  return events;
}

void add_metric_value(ScalingEvent& event, const std::vector<AlarmHistoryItem>& changes) {
  for (const AlarmHistoryItem& item : changes) {
    // The times of causes have whole seconds.
    const base::Time at = std::chrono::floor<std::chrono::seconds>(item.Timestamp.value_or(base::Time()));
    if (at > event.time) continue;
    if (at + kFirstActions < event.time) return;
    const auto state = parse_change(item);
    if (!state || state->stateValue != event.alarmState || !state->stateReasonData) continue;
    const auto& points = state->stateReasonData->recentDatapoints;
    if (points && !points->empty()) event.value = points->back();
    event.threshold = state->stateReasonData->threshold;
    return;
  }
}

std::string number_text(double number) { return fmt::format("{:.6g}", number); }

std::vector<std::string> event_row(const ScalingEvent& event) {
  return {wire::to_iso8601(event.time), change_text(event), event.target};
}

std::string event_reason(const ScalingEvent& event) {
  std::string text = event.reason + (event.error ? ": " + *event.error : "");
  if (!event.alarm) return text;
  text += "; alarm " + *event.alarm + " " + event.alarmState.value_or("");
  if (!event.value) return text;
  text += ", " + number_text(*event.value);
  return event.threshold ? text + " (threshold " + number_text(*event.threshold) + ")" : text;
}

}  // namespace cli
