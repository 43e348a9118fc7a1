// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "services/logs/errors.h"
#include "services/logs/filters/filter_requests.h"
#include "services/logs/filters/group_filters.h"
#include "services/logs/filters/publish.h"
#include "services/logs/group.h"
#include "services/logs/operations.h"
#include "shapes/logs/metric_filter.h"

namespace services::logs {
using namespace shapes::logs;

void check_filter_name(const std::string& name) {
  if (name.find_first_of(std::string_view(":*\0", 3)) != name.npos) throw pattern_violation("filterName", name, "[^:*]*");
}

void check_filters_allowed(const Group& group) {
  if (group.log_class == kStandard) return;
  throw wire::ApiError("InvalidOperationException",
                       "Log groups of the class " + group.log_class + " have no metric or subscription filters.");
}

void check_regex_limit(Call& call, const Group& group, const std::string& name, bool has_regex) {
  if (has_regex && count_regex_filters(call.tx, group.id, name) >= kMaxRegexFilters) throw resource_limit_exceeded();
}

namespace {

constexpr std::size_t kMaxFilterDimensions = 3;
constexpr std::int32_t kMaxListedFilters = 50;

void check_transformation(const MetricTransformation& transformation, const Pattern& pattern) {
  constexpr char kMetricPattern[] = "[^:*$]*";
  const std::string_view forbidden(":*$\0", 4);
  if (transformation.metricName.find_first_of(forbidden) != std::string::npos || transformation.metricName.empty()) {
    throw pattern_violation("metricTransformations.1.member.metricName", transformation.metricName, kMetricPattern);
  }
  const std::string& space = transformation.metricNamespace;
  if (space.find_first_of(forbidden) != std::string::npos || !is_dimension_text(space, space.size())) {
    throw pattern_violation("metricTransformations.1.member.metricNamespace", space, kMetricPattern);
  }
  if (space.starts_with("AWS/")) throw invalid_parameter("The metric namespace must not start with 'AWS/'.");
  if (!transformation.dimensions || transformation.dimensions->empty()) return;
  if (pattern.kind() == Pattern::Kind::Text) {
    throw invalid_parameter("The specified filter pattern does not support dimensions");
  }
  if (transformation.defaultValue) {
    throw invalid_parameter(
        "Invalid metric transformation: dimensions and default value are mutually exclusive properties");
  }
  if (transformation.dimensions->size() > kMaxFilterDimensions) {
    throw invalid_parameter("Invalid metric transformation: at most 3 dimensions are allowed");
  }
  for (const auto& [name, field] : *transformation.dimensions) {
    if (is_dimension_text(name, 255)) continue;
    throw invalid_parameter("Invalid metric transformation: invalid dimension name");
  }
}

void put_metric_filter(Call& call, const PutMetricFilterRequest& request) {
  check_group_name(request.logGroupName);
  check_filter_name(request.filterName);
  if (request.applyOnTransformedLogs.value_or(false)) throw unsupported("applyOnTransformedLogs");
  if (request.fieldSelectionCriteria) throw unsupported("fieldSelectionCriteria");
  if (request.emitSystemFieldDimensions) throw unsupported("emitSystemFieldDimensions");
  const Group group = require_group(call, request.logGroupName);
  check_filters_allowed(group);
  const MetricTransformation& transformation = request.metricTransformations.at(0);
  MetricFilterRow row;
  row.group = group.id;
  row.name = request.filterName;
  row.pattern = request.filterPattern;
  row.metric_name = transformation.metricName;
  row.metric_namespace = transformation.metricNamespace;
  row.metric_value = transformation.metricValue;
  row.default_value = transformation.defaultValue;
  row.dimensions = transformation.dimensions.value_or(std::map<std::string, std::string>{});
  row.unit = transformation.unit;
  row.created = call.now;
  auto pattern = Pattern::parse(row.pattern);
  if (!pattern) throw invalid_parameter(pattern.error());
  check_transformation(transformation, *pattern);
  const CompiledMetricFilter compiled = compile(row);
  check_regex_limit(call, group, row.name, compiled.pattern.has_regex());
  const auto count = [&] {
    return call.tx.query("SELECT count(*) FROM logs_metric_filters WHERE group_id = $1", group.id).integer();
  };
  save(call.tx, row, compiled.pattern.has_regex(), group.account, group.region);
  const std::int64_t filters = count();
  if (filters > kMaxMetricFilters) throw resource_limit_exceeded();
  call.tx.exec("UPDATE logs_groups SET metric_filters = $2 WHERE id = $1", group.id, filters);
  forget_filters(call, group.id);
}

void delete_metric_filter(Call& call, const DeleteMetricFilterRequest& request) {
  check_group_name(request.logGroupName);
  check_filter_name(request.filterName);
  const Group group = require_group(call, request.logGroupName);
  const auto deleted = call.tx.exec("DELETE FROM logs_metric_filters WHERE group_id = $1 AND name = $2", group.id,
                                    request.filterName);
  if (deleted == 0) {
    throw wire::ApiError("ResourceNotFoundException", "The specified metric filter does not exist.");
  }
  call.tx.exec("UPDATE logs_groups SET metric_filters = metric_filters - 1 WHERE id = $1", group.id);
  forget_filters(call, group.id);
}

// "<group> <name>" of the last filter of a page.
MetricFilterPlace parse_filter_token(const std::string& token) {
  MetricFilterPlace place;
  const auto [rest, error] = std::from_chars(token.data(), token.data() + token.size(), place.group);
  if (error != std::errc() || rest == token.data() + token.size() || *rest != ' ') throw invalid_token();
  place.name = std::string(rest + 1, token.data() + token.size());
  if (place.name.find('\0') != std::string::npos) throw invalid_token();
  return place;
}

MetricFilter shown(Call& call, const MetricFilterRow& row, const std::optional<Group>& group) {
  MetricFilter out;
  out.filterName = row.name;
  out.filterPattern = row.pattern;
  MetricTransformation& transformation = out.metricTransformations.emplace().emplace_back();
  transformation.metricName = row.metric_name;
  transformation.metricNamespace = row.metric_namespace;
  transformation.metricValue = row.metric_value;
  transformation.defaultValue = row.default_value;
  if (!row.dimensions.empty()) transformation.dimensions = row.dimensions;
  transformation.unit = row.unit;
  out.creationTime = base::to_millis(row.created);
  out.applyOnTransformedLogs = false;
  const auto owner = group ? group : load_group(call.tx, row.group);
  if (owner) out.logGroupName = owner->name;
  return out;
}

DescribeMetricFiltersResponse describe_metric_filters(Call& call, const DescribeMetricFiltersRequest& request) {
  if (request.metricName.has_value() != request.metricNamespace.has_value()) {
    throw invalid_parameter("metricName and metricNamespace must be specified together.");
  }
  std::optional<Group> group;
  MetricFilterSearch search{.account = call.caller.account, .region = call.caller.region};
  if (request.logGroupName) {
    check_group_name(*request.logGroupName);
    group = require_group(call, *request.logGroupName);
    search.group = group->id;
    search.prefix = request.filterNamePrefix.value_or("");
    check_filter_name(search.prefix);
  }
  for (const auto& text : {request.metricName, request.metricNamespace}) {
    if (text && text->find('\0') != std::string::npos) throw invalid_parameter("Invalid metric name or namespace.");
  }
  search.metric_name = request.metricName;
  search.metric_namespace = request.metricNamespace;
  if (request.nextToken) search.after = parse_filter_token(*request.nextToken);
  const std::int32_t limit = request.limit.value_or(kMaxListedFilters);
  // A group's filters are read at once: some of them may not be wanted.
  search.most = group ? kMaxMetricFilters + 1 : limit + 1;
  auto rows = search_metric_filters(call.tx, search);
  DescribeMetricFiltersResponse response;
  response.metricFilters.emplace();
  if (std::ssize(rows) > limit) {
    rows.resize(static_cast<std::size_t>(limit));
    response.nextToken = std::to_string(rows.back().group) + " " + rows.back().name;
  }
  for (const MetricFilterRow& row : rows) response.metricFilters->push_back(shown(call, row, group));
  return response;
}

TestMetricFilterResponse test_metric_filter(Call&, const TestMetricFilterRequest& request) {
  auto pattern = Pattern::parse(request.filterPattern);
  if (!pattern) throw invalid_parameter(pattern.error());
  TestMetricFilterResponse response;
  response.matches.emplace();
  for (std::size_t i = 0; i < request.logEventMessages.size(); ++i) {
    auto values = pattern->extract(request.logEventMessages[i]);
    if (!values) continue;
    MetricFilterMatchRecord& match = response.matches->emplace_back();
    match.eventNumber = static_cast<std::int64_t>(i);
    match.eventMessage = request.logEventMessages[i];
    match.extractedValues = std::move(*values);
  }
  return response;
}

}  // namespace

std::vector<Operation> metric_filter_operations() {
  return {
      operation<&put_metric_filter>("PutMetricFilter", Access::Write),
      operation<&delete_metric_filter>("DeleteMetricFilter", Access::Write),
      operation<&describe_metric_filters>("DescribeMetricFilters", Access::Read),
      operation<&test_metric_filter>("TestMetricFilter", Access::Read),
  };
}

}  // namespace services::logs
