// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/reason.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <map>

#include "services/cloudwatch/alarms/alarm_text.h"

namespace services::cloudwatch {
namespace {

// From this many on, Amazon lists only the newest.
constexpr std::size_t kLongList = 5;
// StateReasonData has at most 4000 characters.
constexpr std::size_t kMaxRecent = 60;
constexpr std::size_t kMaxEvaluated = 20;

std::string_view operator_text(Comparison comparison) {
  switch (comparison) {
    case Comparison::GreaterOrEqual: return "greater than or equal to";
    case Comparison::Greater: return "greater than";
    case Comparison::Less: return "less than";
    case Comparison::LessOrEqual: return "less than or equal to";
  }
  return "";
}

std::string list_of(const std::vector<AlarmPoint>& points) {
  std::string out;
  for (std::size_t i = 0; i < points.size() && i < kLongList; ++i) {
    out += fmt::format("{}{} ({})", i ? ", " : "", number_in_reason(points[i].value), time_in_reason(points[i].at));
  }
  return "[" + out + "]";
}

std::string filled_reason(const AlarmRules& rules, const AlarmDecision& decision) {
  const std::size_t received = decision.points.size(), missing = rules.periods - received;
  const std::string subject = received == 0 ? "no datapoints" : count_of(received, "datapoint");
  return fmt::format("Threshold Crossed: {} {} received for {} and {} {} treated as [{}].", subject,
                     received == 1 ? "was" : "were", count_of(rules.periods, "period"),
                     count_of(missing, "missing datapoint"), missing == 1 ? "was" : "were",
                     rules.missing == MissingData::Breaching ? "Breaching" : "NonBreaching");
}

// The fewest points that this transition needs.
std::size_t fewest_points(const AlarmRules& rules, AlarmState state) {
  return state == AlarmState::Alarm ? rules.to_alarm : rules.periods - rules.to_alarm + 1;
}

std::string crossed_reason(const AlarmRules& rules, const AlarmDecision& decision) {
  const bool alarm = decision.state == AlarmState::Alarm;
  std::vector<AlarmPoint> winning;
  for (const AlarmPoint& point : decision.points) {
    if (breaches(rules, point.value) == alarm) winning.push_back(point);
  }
  const bool is_long = winning.size() >= kLongList;
  std::string text = "Threshold Crossed: ";
  text += rules.to_alarm_set ? fmt::format("{} out of the last {} datapoints", winning.size(), rules.periods)
                             : count_of(winning.size(), "datapoint");
  if (!is_long) text += " " + list_of(winning);
  text += fmt::format(" {} {}{} the threshold ({})", winning.size() == 1 ? "was" : "were", alarm ? "" : "not ",
                      operator_text(rules.comparison), number_in_reason(rules.threshold));
  if (is_long) text += ". The most recent datapoints which crossed the threshold: " + list_of(winning);
  if (!rules.to_alarm_set) return text + ".";
  return text + fmt::format(" (minimum {} for {} transition).",
                            count_of(fewest_points(rules, decision.state), "datapoint"),
                            alarm ? "OK -> ALARM" : "ALARM -> OK");
}

std::string json_text(std::string_view text) { return boost::json::serialize(boost::json::value(text)); }

std::string evaluated_json(const AlarmRules& rules, const AlarmDecision& decision) {
  std::map<base::Time, std::string> entries;
  for (base::Time at : decision.fillers) {
    entries[at] = fmt::format("{{\"timestamp\":\"{}\"}}", time_in_data(at));
  }
  for (const AlarmPoint& point : decision.points) {
    const std::string samples =
        point.samples > 0 ? "\"sampleCount\":" + number_in_reason(point.samples) + "," : std::string();
    entries[point.at] = fmt::format("{{\"timestamp\":\"{}\",{}\"value\":{}}}", time_in_data(point.at), samples,
                                    number_in_reason(point.value));
  }
  std::size_t most = decision.state == AlarmState::InsufficientData ? rules.periods
                                                                    : fewest_points(rules, decision.state);
  most = std::min(most, kMaxEvaluated);
  std::string out;
  std::size_t count = 0;
  for (auto entry = entries.rbegin(); entry != entries.rend() && count < most; ++entry, ++count) {
    out += (out.empty() ? "" : ",") + entry->second;
  }
  return out;
}

}  // namespace

std::string state_reason(const AlarmRules& rules, const AlarmDecision& decision) {
  if (decision.state == AlarmState::InsufficientData) {
    return fmt::format("Insufficient Data: {} {} unknown.", count_of(rules.periods, "datapoint"),
                       rules.periods == 1 ? "was" : "were");
  }
  const bool filled = rules.missing == MissingData::Breaching || rules.missing == MissingData::NotBreaching;
  if (filled && decision.points.size() < rules.periods) return filled_reason(rules, decision);
  return crossed_reason(rules, decision);
}

std::string state_reason_data(const AlarmRules& rules, const AlarmDecision& decision, base::Time now) {
  std::string out = fmt::format("{{\"version\":\"1.0\",\"queryDate\":\"{}\"", time_in_data(now));
  if (!decision.points.empty()) out += fmt::format(",\"startDate\":\"{}\"", time_in_data(decision.points.back().at));
  if (!rules.unit.empty()) out += ",\"unit\":" + json_text(rules.unit);
  if (!rules.statistic.empty()) out += ",\"statistic\":" + json_text(rules.statistic);
  out += fmt::format(",\"period\":{},\"recentDatapoints\":[", rules.period_s);
  const std::size_t recent = std::min(decision.points.size(), kMaxRecent);
  for (std::size_t i = recent; i-- > 0;) {
    out += number_in_reason(decision.points[i].value) + (i ? "," : "");
  }
  out += fmt::format("],\"threshold\":{},\"evaluatedDatapoints\":[{}]}}", number_in_reason(rules.threshold),
                     evaluated_json(rules, decision));
  return out;
}

std::vector<double> recent_datapoints(const std::optional<std::string>& data) {
  std::vector<double> points;
  boost::system::error_code error;
  const boost::json::value parsed = boost::json::parse(data.value_or("{}"), error);
  if (error || !parsed.is_object()) return points;
  const boost::json::value* list = parsed.as_object().if_contains("recentDatapoints");
  if (!list || !list->is_array()) return points;
  for (const boost::json::value& item : list->as_array()) {
    if (item.is_number()) points.push_back(item.to_number<double>());
  }
  return points;
}

}  // namespace services::cloudwatch
