// SPDX-License-Identifier: Apache-2.0
#include "services/logs/emf.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "base/utf8.h"
#include "services/logs/filters/publish.h"
#include "services/logs/patterns/text_pattern.h"

namespace services::logs {
namespace {

using shapes::cloudwatch::Dimension;
using shapes::cloudwatch::MetricDatum;
using shapes::cloudwatch::PutMetricDataInput;
using Kind = JsonNode::Kind;

// PutMetricData's window and range.
constexpr auto kEmfOldest = std::chrono::hours(14 * 24);
constexpr auto kEmfNewest = std::chrono::hours(2);
const double kLargestValue = std::ldexp(1.0, 360), kSmallestValue = std::ldexp(1.0, -360);

// A rule was broken: the part that it concerns is left out.
struct Invalid {};

class EmfReader {
 public:
  EmfReader(const JsonTape& tape, base::Time event_time, base::Time now) : tape_(tape), time_(event_time), now_(now) {}

  EmfMetrics read() {
    std::optional<std::uint32_t> meta = tape_.member(0, "_aws");
    // Version 0 has its members at the root.
    if (!meta && tape_.member(0, "CloudWatchMetrics")) meta = 0;
    if (!meta) return {};
    const auto directives = tape_.member(*meta, "CloudWatchMetrics");
    if (!directives) return {};
    try {
      read_time(tape_.member(*meta, "Timestamp"));
      require(tape_.node(*directives).kind == Kind::Array);
    } catch (const Invalid&) {
      return {.validation_errors = 1};
    }
    tape_.each_child(0, [&](std::uint32_t child) { root_[tape_.node(child).key] = child; });
    tape_.each_child(*directives, [&](std::uint32_t directive) {
      try {
        read_directive(directive);
      } catch (const Invalid&) {
        ++out_.validation_errors;
      }
    });
    return std::move(out_);
  }

 private:
  static void require(bool condition) {
    if (!condition) throw Invalid();
  }

  void read_time(std::optional<std::uint32_t> at) {
    if (at) {
      const JsonNode& node = tape_.node(*at);
      require(node.kind == Kind::Number || node.kind == Kind::String);
      const auto millis = parse_number(node.text);
      require(millis && *millis == std::floor(*millis) && *millis >= 0 && *millis < 1e15);
      time_ = base::from_millis(static_cast<std::int64_t>(*millis));
    }
    require(time_ >= now_ - kEmfOldest && time_ <= now_ + kEmfNewest);
  }

  // A string member with 1 to `most` characters.
  std::string_view text(std::uint32_t parent, std::string_view key, std::size_t most) const {
    return text_of(tape_.member(parent, key), most);
  }

  std::string_view text_of(std::optional<std::uint32_t> at, std::size_t most) const {
    require(at && tape_.node(*at).kind == Kind::String);
    return checked(tape_.node(*at).text, most);
  }

  // A member of the event.
  std::optional<std::uint32_t> root(std::string_view key) const {
    const auto found = root_.find(key);
    return found == root_.end() ? std::nullopt : std::optional(found->second);
  }

  static std::string_view checked(std::string_view text, std::size_t most) {
    require(!text.empty() && text.find('\0') == std::string_view::npos && base::count_characters(text) <= most);
    return text;
  }

  std::vector<std::uint32_t> list(std::uint32_t parent, std::string_view key) const {
    const auto at = tape_.member(parent, key);
    require(at && tape_.node(*at).kind == Kind::Array);
    std::vector<std::uint32_t> out;
    tape_.each_child(*at, [&](std::uint32_t child) { out.push_back(child); });
    return out;
  }

  void read_directive(std::uint32_t at) {
    PutMetricDataInput input;
    input.Namespace = text(at, "Namespace", EmfLimits::kMaxNamespace);
    // Amazon's own namespaces are not for clients.
    require(!input.Namespace.starts_with("AWS/") && is_dimension_text(input.Namespace, input.Namespace.size()));
    const auto set_nodes = list(at, "Dimensions"), metrics = list(at, "Metrics");
    require(!set_nodes.empty() && !metrics.empty() && metrics.size() <= EmfLimits::kMaxMetrics);
    count_ += set_nodes.size() * metrics.size();
    require(count_ <= EmfLimits::kMaxData);
    std::vector<std::vector<Dimension>> sets;
    for (std::uint32_t set : set_nodes) sets.push_back(read_set(set));
    auto& data = input.MetricData.emplace();
    for (std::uint32_t metric : metrics) {
      try {
        MetricDatum datum = read_metric(metric);
        for (const auto& set : sets) {
          datum.Dimensions = set;
          data.push_back(datum);
        }
      } catch (const Invalid&) {
        ++out_.validation_errors;
      }
    }
    if (!data.empty()) out_.data.push_back(std::move(input));
  }

  std::vector<Dimension> read_set(std::uint32_t at) const {
    require(tape_.node(at).kind == Kind::Array);
    std::vector<Dimension> set;
    tape_.each_child(at, [&](std::uint32_t child) {
      const JsonNode& node = tape_.node(child);
      require(node.kind == Kind::String && set.size() < EmfLimits::kMaxDimensions);
      const std::string_view name = checked(node.text, EmfLimits::kMaxDimensionName);
      const std::string_view value = text_of(root(name), EmfLimits::kMaxDimensionValue);
      require(is_dimension_text(name, name.size()) && is_dimension_text(value, value.size()));
      require(std::none_of(set.begin(), set.end(), [&](const Dimension& one) { return one.Name == name; }));
      set.push_back({.Name = std::string(name), .Value = std::string(value)});
    });
    return set;
  }

  MetricDatum read_metric(std::uint32_t at) const {
    require(tape_.node(at).kind == Kind::Object);
    MetricDatum datum;
    datum.MetricName = text(at, "Name", EmfLimits::kMaxMetricName);
    require(is_dimension_text(datum.MetricName, datum.MetricName.size()));
    datum.Timestamp = time_;
    if (const auto unit = tape_.member(at, "Unit")) {
      const auto& units = shapes::cloudwatch::kStandardUnitValues;
      require(std::find(std::begin(units), std::end(units), tape_.node(*unit).text) != std::end(units));
      datum.Unit = tape_.node(*unit).text;
    }
    if (const auto resolution = tape_.member(at, "StorageResolution")) {
      const auto seconds = parse_number(tape_.node(*resolution).text);
      require(seconds == 1 || seconds == 60);
      datum.StorageResolution = static_cast<std::int32_t>(*seconds);
    }
    const auto target = root(datum.MetricName);
    require(target.has_value());
    read_target(*target, datum);
    return datum;
  }

  double number(std::uint32_t at) const {
    require(tape_.node(at).kind == Kind::Number);
    const auto value = parse_number(tape_.node(at).text);
    require(value && (*value == 0 || (std::abs(*value) <= kLargestValue && std::abs(*value) >= kSmallestValue)));
    return *value;
  }

  std::vector<double> numbers(std::uint32_t at) const {
    std::vector<double> out;
    tape_.each_child(at, [&](std::uint32_t child) { out.push_back(number(child)); });
    require(!out.empty() && out.size() <= EmfLimits::kMaxValues);
    return out;
  }

  void read_target(std::uint32_t at, MetricDatum& datum) const {
    switch (tape_.node(at).kind) {
      case Kind::Number: datum.Value = number(at); break;
      case Kind::Array: datum.Values = numbers(at); break;
      case Kind::Object: read_statistics(at, datum); break;
      default: throw Invalid();
    }
  }

  // OpenTelemetry's collector writes {Max, Min, Count, Sum}, or a histogram as Values and Counts.
  void read_statistics(std::uint32_t at, MetricDatum& datum) const {
    const auto values = tape_.member(at, "Values"), counts = tape_.member(at, "Counts");
    if (values && counts) {
      require(tape_.node(*values).kind == Kind::Array && tape_.node(*counts).kind == Kind::Array);
      datum.Values = numbers(*values);
      datum.Counts = numbers(*counts);
      require(datum.Values->size() == datum.Counts->size());
      require(std::all_of(datum.Counts->begin(), datum.Counts->end(), [](double count) { return count >= 0; }));
      return;
    }
    const auto member = [&](std::string_view key) {
      const auto found = tape_.member(at, key);
      require(found.has_value());
      return number(*found);
    };
    auto& set = datum.StatisticValues.emplace();
    set = {.SampleCount = member("Count"), .Sum = member("Sum"), .Minimum = member("Min"), .Maximum = member("Max")};
    require(set.SampleCount > 0 && set.Minimum <= set.Maximum);
  }

  const JsonTape& tape_;
  base::Time time_, now_;
  // An index of the event's members: dimensions and metrics, of which there may be thousands, name them.
  std::unordered_map<std::string_view, std::uint32_t> root_;
  std::size_t count_ = 0;
  EmfMetrics out_;
};

}  // namespace

bool may_be_emf(std::string_view message) {
  return message.starts_with('{') && contains(message, "\"CloudWatchMetrics\"");
}

EmfMetrics read_emf(std::string_view message, base::Time event_time, base::Time now, JsonTape& tape) {
  if (!tape.parse_object(message)) return {.parsing_errors = 1};
  return EmfReader(tape, event_time, now).read();
}

}  // namespace services::logs
