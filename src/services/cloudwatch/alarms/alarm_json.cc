// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/alarm_json.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/bytes.h"
#include "services/cloudwatch/alarms/alarm_text.h"
#include "services/shape_json.h"
#include "wire/json.h"

namespace services::cloudwatch {
namespace {

using shapes::cloudwatch::Dimension;
using shapes::cloudwatch::MetricDataQuery;
using shapes::cloudwatch::PutCompositeAlarmInput;
using shapes::cloudwatch::PutMetricAlarmInput;

constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kRegionNames = {{
    {"us-east-1", "US East (N. Virginia)"},
    {"us-east-2", "US East (Ohio)"},
    {"us-west-1", "US West (N. California)"},
    {"us-west-2", "US West (Oregon)"},
    {"ca-central-1", "Canada (Central)"},
    {"eu-west-1", "EU (Ireland)"},
    {"eu-west-2", "EU (London)"},
    {"eu-west-3", "EU (Paris)"},
    {"eu-central-1", "EU (Frankfurt)"},
    {"eu-north-1", "EU (Stockholm)"},
    {"ap-northeast-1", "Asia Pacific (Tokyo)"},
    {"ap-northeast-2", "Asia Pacific (Seoul)"},
    {"ap-southeast-1", "Asia Pacific (Singapore)"},
    {"ap-southeast-2", "Asia Pacific (Sydney)"},
    {"ap-south-1", "Asia Pacific (Mumbai)"},
    {"sa-east-1", "South America (Sao Paulo)"},
}};

std::string region_name(std::string_view region) {
  for (const auto& [code, name] : kRegionNames) {
    if (code == region) return std::string(name);
  }
  return std::string(region);
}

// One member after another: {"a":1,"b":"x"}.
class ObjectText {
 public:
  ObjectText& raw(std::string_view name, std::string_view json) {
    out_ += (out_.empty() ? "" : ",") + json_quoted(name) + ":" + std::string(json);
    return *this;
  }
  ObjectText& text(std::string_view name, std::string_view value) { return raw(name, json_quoted(value)); }
  ObjectText& text_or_null(std::string_view name, const std::optional<std::string>& value) {
    return raw(name, value ? json_quoted(*value) : "null");
  }
  ObjectText& maybe_text(std::string_view name, const std::optional<std::string>& value) {
    return value ? text(name, *value) : *this;
  }
  ObjectText& maybe_number(std::string_view name, const std::optional<std::int32_t>& value) {
    return value ? raw(name, std::to_string(*value)) : *this;
  }
  std::string str() const { return "{" + out_ + "}"; }

 private:
  std::string out_;
};

std::string list_json(const std::optional<std::vector<std::string>>& texts) {
  return json_list(texts.value_or(std::vector<std::string>()));
}

std::string dimensions_json(const std::optional<std::vector<Dimension>>& dimensions) {
  std::string out;
  for (const Dimension& one : dimensions.value_or(std::vector<Dimension>())) {
    out += (out.empty() ? "" : ",") + ObjectText().text("value", one.Value).text("name", one.Name).str();
  }
  return "[" + out + "]";
}

std::string metric_list_json(const std::vector<MetricDataQuery>& queries) {
  std::string out;
  for (const MetricDataQuery& query : queries) {
    ObjectText one;
    if (query.Expression) one.text("Expression", *query.Expression);
    one.text("Id", query.Id).maybe_text("Label", query.Label);
    if (query.MetricStat) {
      const auto& stat = *query.MetricStat;
      const std::string metric = ObjectText()
                                     .raw("Dimensions", dimensions_json(stat.Metric.Dimensions))
                                     .text_or_null("MetricName", stat.Metric.MetricName)
                                     .text_or_null("Namespace", stat.Metric.Namespace)
                                     .str();
      one.raw("MetricStat", ObjectText()
                                .raw("Metric", metric)
                                .raw("Period", std::to_string(stat.Period))
                                .text("Stat", stat.Stat)
                                .str());
    }
    one.raw("ReturnData", query.ReturnData.value_or(true) ? "true" : "false");
    out += (out.empty() ? "" : ",") + one.str();
  }
  return "[" + out + "]";
}

// "SampleCount" -> "SAMPLE_COUNT"
std::string upper_statistic(const std::string& name) {
  if (name == "SampleCount") return "SAMPLE_COUNT";
  std::string out;
  for (char c : name) out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

std::string trigger_json(const PutMetricAlarmInput& input) {
  ObjectText out;
  const bool math = input.Metrics && !input.Metrics->empty();
  if (!math) {
    out.text_or_null("MetricName", input.MetricName).text_or_null("Namespace", input.Namespace);
    out.text("StatisticType", input.Statistic ? "Statistic" : "ExtendedStatistic");
    if (input.Statistic) out.text("Statistic", upper_statistic(*input.Statistic));
    if (input.ExtendedStatistic) out.text("ExtendedStatistic", *input.ExtendedStatistic);
    out.text_or_null("Unit", input.Unit).raw("Dimensions", dimensions_json(input.Dimensions));
    out.maybe_number("Period", input.Period);
  } else {
    for (const MetricDataQuery& query : *input.Metrics) {
      if (!query.MetricStat) continue;
      out.raw("Period", std::to_string(query.MetricStat->Period));
      break;
    }
  }
  out.maybe_number("EvaluationPeriods", input.EvaluationPeriods).maybe_number("DatapointsToAlarm", input.DatapointsToAlarm);
  out.text("ComparisonOperator", input.ComparisonOperator.value_or(""));
  out.raw("Threshold", number_in_reason(input.Threshold.value_or(0)));
  out.text("TreatMissingData", input.TreatMissingData.value_or(""));
  out.text("EvaluateLowSampleCountPercentile", input.EvaluateLowSampleCountPercentile.value_or(""));
  if (math) out.raw("Metrics", metric_list_json(*input.Metrics));
  return out.str();
}

template <class Input>
void add_actions(ObjectText& out, const Input& input) {
  out.raw("OKActions", list_json(input.OKActions)).raw("AlarmActions", list_json(input.AlarmActions));
  out.raw("InsufficientDataActions", list_json(input.InsufficientDataActions));
}

void add_metric_configuration(ObjectText& out, const PutMetricAlarmInput& input) {
  out.maybe_text("namespace", input.Namespace).maybe_text("metricName", input.MetricName);
  out.maybe_text("statistic", input.Statistic).maybe_text("extendedStatistic", input.ExtendedStatistic);
  if (input.Metrics && !input.Metrics->empty()) out.raw("metrics", metric_list_json(*input.Metrics));
  out.maybe_number("period", input.Period).maybe_text("unit", input.Unit);
  out.raw("dimensions", dimensions_json(input.Dimensions));
  out.raw("threshold", number_in_reason(input.Threshold.value_or(0)));
  out.maybe_text("comparisonOperator", input.ComparisonOperator);
  out.maybe_number("evaluationPeriods", input.EvaluationPeriods);
  out.maybe_number("datapointsToAlarm", input.DatapointsToAlarm);
  out.maybe_text("treatMissingData", input.TreatMissingData);
}

template <class Input>
void add_history_actions(ObjectText& out, const Input& input) {
  out.raw("alarmActions", list_json(input.AlarmActions));
  out.raw("insufficientDataActions", list_json(input.InsufficientDataActions));
  out.raw("okactions", list_json(input.OKActions));
}

std::string state_json(const StateText& state) {
  ObjectText out;
  out.text("stateValue", to_text(state.state)).text("stateReason", state.reason);
  if (state.data) out.raw("stateReasonData", *state.data);
  return out.str();
}

std::optional<std::string> description_of(const Alarm& alarm) {
  if (alarm.composite) return from_json<PutCompositeAlarmInput>(alarm.configuration).AlarmDescription;
  return from_json<PutMetricAlarmInput>(alarm.configuration).AlarmDescription;
}

}  // namespace

std::string json_quoted(std::string_view text) {
  std::string out;
  wire::write_json_string(text, out);
  return out;
}

std::string json_list(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ",") + json_quoted(text);
  return "[" + out + "]";
}

std::string configuration_history(const Alarm& alarm, std::string_view type) {
  ObjectText body;
  body.text("alarmName", alarm.name).maybe_text("alarmDescription", description_of(alarm)).text("alarmArn", alarm.arn());
  body.text("alarmConfigurationUpdatedTimestamp", time_in_data(alarm.configured_at));
  if (alarm.composite) {
    body.text("alarmRule", from_json<PutCompositeAlarmInput>(alarm.configuration).AlarmRule);
  } else {
    add_metric_configuration(body, from_json<PutMetricAlarmInput>(alarm.configuration));
  }
  body.text("stateValue", to_text(alarm.state)).text("stateUpdatedTimestamp", time_in_data(alarm.state_updated_at));
  body.raw("actionsEnabled", alarm.actions_enabled ? "true" : "false");
  if (alarm.composite) {
    add_history_actions(body, from_json<PutCompositeAlarmInput>(alarm.configuration));
  } else {
    add_history_actions(body, from_json<PutMetricAlarmInput>(alarm.configuration));
  }
  std::string member = base::to_lower(type) + "dAlarm";
  if (!type.ends_with('e')) member = base::to_lower(type) + "edAlarm";
  return ObjectText().text("version", "1.0").text("type", type).raw(member, body.str()).str();
}

std::string state_history(const StateText& before, const StateText& after) {
  return ObjectText().text("version", "1.0").raw("oldState", state_json(before)).raw("newState", state_json(after)).str();
}

std::string action_history(std::string_view action, base::Time state_updated_at, std::string_view message,
                           std::string_view error) {
  const std::string published = ObjectText().text("default", message).str();
  ObjectText out;
  out.text("actionState", error.empty() ? "Succeeded" : "Failed");
  out.raw("stateUpdateTimestamp", std::to_string(base::to_millis(state_updated_at)));
  out.text("notificationResource", action).text("publishedMessage", published);
  out.raw("error", error.empty() ? "null" : json_quoted(error));
  return out.str();
}

std::string action_message(const Alarm& alarm, AlarmState old_state) {
  ObjectText out;
  out.text("AlarmName", alarm.name).text_or_null("AlarmDescription", description_of(alarm));
  out.text("AWSAccountId", alarm.account);
  out.text("AlarmConfigurationUpdatedTimestamp", time_in_data(alarm.configured_at));
  if (alarm.composite) out.text("AlarmRule", from_json<PutCompositeAlarmInput>(alarm.configuration).AlarmRule);
  out.text("NewStateValue", to_text(alarm.state)).text("NewStateReason", alarm.state_reason);
  out.text("StateChangeTime", time_in_data(alarm.state_updated_at)).text("Region", region_name(alarm.region));
  out.text("AlarmArn", alarm.arn()).text("OldStateValue", to_text(old_state));
  if (!alarm.composite) {
    const auto input = from_json<PutMetricAlarmInput>(alarm.configuration);
    add_actions(out, input);
    return out.raw("Trigger", trigger_json(input)).str();
  }
  add_actions(out, from_json<PutCompositeAlarmInput>(alarm.configuration));
  return out.str();
}

}  // namespace services::cloudwatch
