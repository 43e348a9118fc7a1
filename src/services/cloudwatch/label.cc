// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/label.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "services/cloudwatch/errors.h"

namespace services::cloudwatch {
namespace {

constexpr int kMaxDynamicParts = 5;
constexpr std::string_view kNoData = "--";

std::string number_label(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

std::string time_label(base::Time at, const LabelFacts& facts) {
  const auto local = std::chrono::time_point_cast<std::chrono::seconds>(at + facts.zone);
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(facts.zone).count();
  const std::string zone = minutes == 0 ? "UTC" : fmt::format("{}{:02}:{:02}", minutes < 0 ? '-' : '+', std::abs(minutes) / 60, std::abs(minutes) % 60);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} {}", fmt::gmtime(std::chrono::system_clock::to_time_t(local)), zone);
}

// "2h 5m"
std::string duration_label(base::Duration duration) {
  std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  std::string text;
  for (auto [size, unit] : {std::pair(std::int64_t{86400}, 'd'), {3600, 'h'}, {60, 'm'}}) {
    if (seconds < size) continue;
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", seconds / size, unit);
    seconds %= size;
  }
  if (seconds > 0 || text.empty()) text += fmt::format("{}{}s", text.empty() ? "" : " ", seconds);
  return text;
}

bool by_value(const MathPoint& a, const MathPoint& b) { return a.value < b.value; }

// MIN, MAX, FIRST or LAST; nullptr for other names.
const MathPoint* find_point(std::string_view name, const std::vector<MathPoint>& points) {
  if (name == "FIRST") return &points.front();
  if (name == "LAST") return &points.back();
  if (name == "MIN") return &*std::min_element(points.begin(), points.end(), by_value);
  if (name == "MAX") return &*std::max_element(points.begin(), points.end(), by_value);
  return nullptr;
}

std::optional<std::string> range_part(std::string_view part, const LabelFacts& facts) {
  const bool extremes = part.starts_with("MIN_MAX_");
  if (!extremes && !part.starts_with("FIRST_LAST_")) return std::nullopt;
  const std::string_view kind = part.substr(extremes ? 8 : 11);
  if (kind != "RANGE" && kind != "TIME_RANGE") return std::nullopt;
  if (facts.points.empty()) return std::string(kNoData);
  const MathPoint* from = find_point(extremes ? "MIN" : "FIRST", facts.points);
  const MathPoint* to = find_point(extremes ? "MAX" : "LAST", facts.points);
  if (kind == "RANGE") return number_label(from->value) + "-" + number_label(to->value);
  return time_label(from->at, facts) + " - " + time_label(to->at, facts);
}

std::optional<std::string> total_part(std::string_view part, const LabelFacts& facts) {
  const auto& points = facts.points;
  if (part == "DATAPOINT_COUNT") return std::to_string(points.size());
  if (part != "SUM" && part != "AVG") return std::nullopt;
  if (points.empty()) return std::string(kNoData);
  double sum = 0;
  for (const MathPoint& point : points) sum += point.value;
  return number_label(part == "SUM" ? sum : sum / static_cast<double>(points.size()));
}

std::optional<std::string> point_part(std::string_view part, const LabelFacts& facts) {
  const std::size_t end = part.find('_');
  const std::string_view name = part.substr(0, end);
  const std::string_view suffix = end == part.npos ? "" : part.substr(end);
  const bool known = name == "MIN" || name == "MAX" || name == "FIRST" || name == "LAST";
  if (!known || (suffix != "" && suffix != "_TIME" && suffix != "_TIME_RELATIVE")) return std::nullopt;
  if (facts.points.empty()) return std::string(kNoData);
  const MathPoint* point = find_point(name, facts.points);
  if (suffix.empty()) return number_label(point->value);
  if (suffix == "_TIME") return time_label(point->at, facts);
  const base::Duration ago = facts.now - point->at;
  return ago >= base::Duration::zero() ? duration_label(ago) + " ago" : "in " + duration_label(-ago);
}

std::optional<std::string> property_part(std::string_view part, const LabelFacts& facts) {
  if (!part.starts_with("PROP('") || !part.ends_with("')") || part.size() < 8) return std::nullopt;
  const std::string_view name = part.substr(6, part.size() - 8);
  if (name == "AccountId") return facts.account;
  if (name == "MetricName") return facts.name;
  if (name == "Namespace") return facts.space;
  if (name == "Period") return facts.period;
  if (name == "Region") return facts.region;
  if (name == "Stat") return facts.statistic;
  if (!name.starts_with("Dim.")) return std::nullopt;
  for (const auto& [dimension, value] : facts.dimensions) {
    if (dimension == name.substr(4)) return value;
  }
  return "";
}

std::string dynamic_part(std::string_view part, const LabelFacts& facts) {
  if (part == "LABEL") return facts.default_label;
  for (auto* resolve : {&range_part, &total_part, &property_part, &point_part}) {
    if (auto text = resolve(part, facts)) return *text;
  }
  throw validation_error("The label has an unsupported dynamic value: ${" + std::string(part) + "}.");
}

}  // namespace

std::string make_label(std::string_view text, const LabelFacts& facts) {
  std::string label;
  int parts = 0, labels = 0;
  while (true) {
    const std::size_t start = text.find("${");
    label += text.substr(0, start);
    if (start == text.npos) return label;
    const std::size_t end = text.find('}', start);
    if (end == text.npos) throw validation_error("The label has a dynamic value without an end: " + std::string(text) + ".");
    const std::string_view part = text.substr(start + 2, end - start - 2);
    if (++parts > kMaxDynamicParts) throw validation_error("A label can have at most 5 dynamic values.");
    if (part == "LABEL" && ++labels > 1) throw validation_error("A label can have ${LABEL} only once.");
    label += dynamic_part(part, facts);
    text.remove_prefix(end + 1);
  }
}

std::optional<base::Duration> parse_zone(std::string_view text) {
  if (text.size() != 5 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  if (text.substr(1).find_first_not_of("0123456789") != text.npos) return std::nullopt;
  const int hours = (text[1] - '0') * 10 + (text[2] - '0'), minutes = (text[3] - '0') * 10 + (text[4] - '0');
  if (hours > 23 || minutes > 59) return std::nullopt;
  const base::Duration offset = std::chrono::hours(hours) + std::chrono::minutes(minutes);
  return text[0] == '-' ? -offset : offset;
}

}  // namespace services::cloudwatch
