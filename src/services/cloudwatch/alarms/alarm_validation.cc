// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/alarm_validation.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "services/cloudwatch/alarms/action_target.h"
#include "services/cloudwatch/alarms/alarm_definition.h"
#include "services/cloudwatch/errors.h"
#include "services/tags.h"

namespace services::cloudwatch {
namespace {

using shapes::cloudwatch::MetricDataQuery;
using shapes::cloudwatch::PutCompositeAlarmInput;
using shapes::cloudwatch::PutMetricAlarmInput;

constexpr std::size_t kMaxMathMetrics = 10, kMaxMathExpressions = 10;  // Amazon's
constexpr std::int64_t kDay = 86400, kWeek = 7 * kDay;

void check_alarm_period(std::int64_t period_s) {
  if (period_s == 10 || period_s == 20 || period_s == 30 || (period_s > 0 && period_s % 60 == 0)) return;
  throw validation_error("Period must be 10, 20, 30 or a multiple of 60");
}

void check_length(std::int64_t periods, std::int64_t period_s) {
  if (period_s < 3600 && periods * period_s > kDay) {
    throw validation_error("Metrics cannot be checked across more than a day (EvaluationPeriods * Period must be <= "
                           "86400) for alarms using period < 3600");
  }
  if (period_s >= 3600 && periods * period_s > kWeek) {
    throw validation_error("Metrics cannot be checked across more than a week (EvaluationPeriods * Period must be <= "
                           "604800) for alarms using period >= 3600");
  }
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

void check_space(const std::string& space) {
  if (!is_ascii(space)) throw validation_error("Namespace must not contain Non-ASCII characters.");
}

template <class T>
void require_present(const std::optional<T>& member, const char* name) {
  if (!member) throw validation_error(std::string(name) + " must not be null");
}

void check_extended_statistic(const std::string& name) {
  const auto statistic = parse_statistic(name);
  if (statistic && statistic->needs_values()) return;
  throw invalid_value("The value " + name + " for parameter ExtendedStatistic is not supported.");
}

void check_low_samples(const PutMetricAlarmInput& input) {
  if (!input.EvaluateLowSampleCountPercentile) return;
  const std::string& option = *input.EvaluateLowSampleCountPercentile;
  if (option != "evaluate" && option != "ignore") {
    throw validation_error("Option " + option + " is not supported. Supported options for parameter "
                           "EvaluateLowSampleCountPercentile are evaluate and ignore.");
  }
  const auto statistic = parse_statistic(input.ExtendedStatistic.value_or(""));
  if (statistic && statistic->kind == StatisticKind::Percentile) return;
  throw validation_error("Option evaluateLowSampleCountPercentile can not be applied with statistic " +
                         input.Statistic.value_or(input.ExtendedStatistic.value_or("null")) +
                         ". This option is enabled only for percentile statistics.");
}

void check_single_metric(const PutMetricAlarmInput& input) {
  require_present(input.MetricName, "MetricName");
  require_present(input.Namespace, "Namespace");
  check_space(*input.Namespace);
  if (input.Statistic && input.ExtendedStatistic) {
    throw validation_error("PutMetricAlarm request can not be made with both Statistic and ExtendedStatistic "
                           "parameters. Only one of them should be present");
  }
  if (input.ExtendedStatistic) {
    check_extended_statistic(*input.ExtendedStatistic);
  } else {
    require_present(input.Statistic, "Statistic");
  }
  require_present(input.Period, "Period");
  check_alarm_period(*input.Period);
  check_low_samples(input);
}

void reject_beside_metrics(bool present, const char* name) {
  if (present) throw validation_error(std::string(name) + " should not be set if list of Metrics is set.");
}

void check_query(const MetricDataQuery& query, std::string_view account) {
  if (query.Expression && query.MetricStat) {
    throw validation_error("The parameters MetricDataQuery Expression and MetricStat are mutually exclusive and you "
                           "have specified both.");
  }
  if (!query.Expression && !query.MetricStat) throw validation_error("Invalid metrics list");
  if (query.AccountId && *query.AccountId != account) throw unsupported_parameter("AccountId");
  const bool valid_id = !query.Id.empty() && query.Id[0] >= 'a' && query.Id[0] <= 'z' &&
                        std::all_of(query.Id.begin(), query.Id.end(), [](char c) {
                          return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
                        });
  if (!valid_id) throw validation_error("Invalid metrics list");
  if (query.Period) check_alarm_period(*query.Period);
  if (!query.MetricStat) return;
  const auto& stat = *query.MetricStat;
  check_alarm_period(stat.Period);
  if (!parse_statistic(stat.Stat)) throw validation_error("Invalid metrics list");
  require_present(stat.Metric.MetricName, "MetricName");
  require_present(stat.Metric.Namespace, "Namespace");
  check_space(*stat.Metric.Namespace);
}

void check_list_sizes(const std::vector<MetricDataQuery>& queries) {
  const auto expressions = static_cast<std::size_t>(std::count_if(
      queries.begin(), queries.end(), [](const MetricDataQuery& query) { return query.Expression.has_value(); }));
  if (expressions > kMaxMathExpressions) throw validation_error("Too many expressions in alarm, maximum is 10");
  if (queries.size() - expressions > kMaxMathMetrics) {
    throw validation_error("Too many metrics in alarm, maximum is 10");
  }
}

void check_program(const std::vector<MetricDataQuery>& queries, const std::string& returned) {
  const MathProgram program = MathProgram::compile(math_queries(queries));
  if (program.uses_search()) throw validation_error("SEARCH is not supported on Metric Alarms");
  if (program.type_of(returned) == MathType::Array) {
    throw validation_error("Metrics expression that return multi time series are only allowed for MetricsInsights "
                           "expression with an ORDER BY clause");
  }
  if (program.type_of(returned) == MathType::Scalar) {
    throw validation_error("Error in expression '" + returned + "': The expression must return a time series");
  }
}

void check_metric_list(const PutMetricAlarmInput& input, std::string_view account) {
  const auto& queries = *input.Metrics;
  reject_beside_metrics(input.MetricName.has_value(), "MetricName");
  reject_beside_metrics(input.Namespace.has_value(), "Namespace");
  reject_beside_metrics(input.Statistic.has_value(), "Statistic");
  reject_beside_metrics(input.ExtendedStatistic.has_value(), "ExtendedStatistic");
  reject_beside_metrics(input.Dimensions && !input.Dimensions->empty(), "Dimensions");
  reject_beside_metrics(input.Period.has_value(), "Period");
  reject_beside_metrics(input.Unit.has_value(), "Unit");
  if (input.EvaluateLowSampleCountPercentile) check_low_samples(input);
  check_list_sizes(queries);
  std::set<std::string> ids;
  std::string returned;
  std::size_t returns = 0;
  for (const MetricDataQuery& query : queries) {
    check_query(query, account);
    if (!ids.insert(query.Id).second) throw validation_error("The ids of the metrics list must be unique");
    if (!query.ReturnData.value_or(true)) continue;
    returned = query.Id;
    ++returns;
  }
  if (returns != 1) throw validation_error("Exactly one element of the metrics list should return data.");
  const auto period = shared_period(queries);
  if (!period) throw validation_error("Period must not be null");
  for (const MetricDataQuery& query : queries) {
    if ((query.MetricStat && query.MetricStat->Period != *period) || (query.Period && *query.Period != *period)) {
      throw validation_error("All metrics of an alarm must have the same period");
    }
  }
  check_program(queries, returned);
}

void check_actions(const std::optional<std::vector<std::string>>& actions, bool composite) {
  for (const std::string& action : actions.value_or(std::vector<std::string>())) check_action(action, composite);
}

// Features of Amazon's that Stoker does not have.
void reject_unsupported(const PutMetricAlarmInput& input) {
  const std::string comparison = input.ComparisonOperator.value_or("");
  if (!comparison.empty() && !parse_comparison(comparison) && !input.ThresholdMetricId) {
    throw validation_error("ComparisonOperators for ranges require ThresholdMetricId to be set");
  }
  if (input.ThresholdMetricId) {
    throw validation_error("Stoker does not support anomaly detection: remove ThresholdMetricId");
  }
  if (input.EvaluationCriteria) throw validation_error("Stoker does not support EvaluationCriteria (PromQL alarms)");
  if (input.EvaluationInterval) throw validation_error("Stoker does not support EvaluationInterval");
}

}  // namespace

void check_metric_alarm(const PutMetricAlarmInput& input, std::string_view account) {
  reject_unsupported(input);
  require_present(input.ComparisonOperator, "ComparisonOperator");
  require_present(input.EvaluationPeriods, "EvaluationPeriods");
  const bool math = input.Metrics && !input.Metrics->empty();
  if (math) {
    check_metric_list(input, account);
  } else {
    check_single_metric(input);
  }
  if (!input.Threshold || !std::isfinite(*input.Threshold)) {
    throw validation_error("PutMetricAlarm request should have valid Threshold parameter");
  }
  if (input.DatapointsToAlarm && *input.DatapointsToAlarm > *input.EvaluationPeriods) {
    throw validation_error("DatapointsToAlarm must be less than or equal to EvaluationPeriods");
  }
  check_length(*input.EvaluationPeriods, math ? *shared_period(*input.Metrics) : *input.Period);
  if (input.TreatMissingData && !parse_missing_data(*input.TreatMissingData)) {
    throw validation_error("The value " + *input.TreatMissingData + " is not supported for TreatMissingData parameter. "
                           "Supported values are [breaching, notBreaching, ignore, missing].");
  }
  check_actions(input.OKActions, false);
  check_actions(input.AlarmActions, false);
  check_actions(input.InsufficientDataActions, false);
}

void check_suppressor(const PutCompositeAlarmInput& input) {
  if (!input.ActionsSuppressor) {
    if (input.ActionsSuppressorWaitPeriod) {
      throw validation_error("ActionsSuppressorWaitPeriod requires an ActionSuppressor");
    }
    if (input.ActionsSuppressorExtensionPeriod) {
      throw validation_error("ActionsSuppressorExtensionPeriod requires an ActionSuppressor");
    }
    return;
  }
  require_present(input.ActionsSuppressorWaitPeriod, "ActionsSuppressorWaitPeriod");
  require_present(input.ActionsSuppressorExtensionPeriod, "ActionsSuppressorExtensionPeriod");
  if (*input.ActionsSuppressorWaitPeriod < 0 || *input.ActionsSuppressorExtensionPeriod < 0) {
    throw validation_error("The periods of an ActionsSuppressor must not be negative");
  }
}

void check_composite_actions(const PutCompositeAlarmInput& input) {
  check_actions(input.OKActions, true);
  check_actions(input.AlarmActions, true);
  check_actions(input.InsufficientDataActions, true);
}

void check_storable(const std::string& text, const char* name) {
  if (text.find('\0') != text.npos) throw validation_error(std::string(name) + " must not contain the character U+0000");
}

TagMap add_tags(TagMap tags, const std::optional<std::vector<shapes::cloudwatch::Tag>>& more) {
  if (!more) return tags;
  for (const auto& tag : *more) {
    const TagProblems problems = find_tag_problems(tag.Key, tag.Value);
    if (problems != TagProblems{}) throw invalid_value("The tag '" + tag.Key + "' is invalid.");
    if (is_reserved_tag(tag.Key)) {
      throw invalid_value("aws: prefixed tag key names are not allowed for external use.");
    }
    tags[tag.Key] = tag.Value;
  }
  if (tags.size() > kMaxTags) throw invalid_value("The maximum number of tags for a resource is 50.");
  return tags;
}

}  // namespace services::cloudwatch
