// SPDX-License-Identifier: Apache-2.0
#include "services/arn.h"
#include "services/logs/errors.h"
#include "services/logs/filters/filter_requests.h"
#include "services/logs/filters/group_filters.h"
#include "services/logs/filters/subscription_record.h"
#include "services/logs/operations.h"
#include "shapes/logs/subscription_filter.h"

namespace services::logs {
using namespace shapes::logs;
namespace {

constexpr std::int32_t kMaxListedSubscriptions = 50;

// Amazon's answers for destinations that it can't reach: Stoker has only queues.
void check_destination(Call& call, const PutSubscriptionFilterRequest& request) {
  const auto arn = parse_arn(request.destinationArn);
  if (arn && arn->service == "sqs") return;
  if (arn && arn->service == "kinesis") {
    if (!request.roleArn) throw invalid_parameter("destinationArn for vendor kinesis cannot be used without roleArn");
    throw invalid_parameter(
        "Could not deliver test message to specified Kinesis stream. Check if the given kinesis steam is in ACTIVE "
        "state.");
  }
  if (arn && arn->service == "lambda") {
    if (arn->account != call.caller.account) {
      throw wire::ApiError("AccessDeniedException",
                           "Cross-account lambda invocation passing is not allowed. You must use DestinationPolicies to "
                           "create cross account lambda triggers.");
    }
    throw invalid_parameter(
        "Could not execute the lambda function. Make sure you have given CloudWatch Logs permission to execute your "
        "function.");
  }
  throw invalid_parameter("Could not deliver test message to specified destination. Check if the destination is valid.");
}

void send_control_message(Call& call, const Group& group, const std::string& queue_arn) {
  try {
    send_to_queue(call, group.arn(), group.account, queue_arn, control_record(call.now));
  } catch (const wire::ApiError& error) {
    throw invalid_parameter(
        "Could not deliver test message to specified destination. Check if the destination is valid. " +
        error.message());
  }
}

void put_subscription_filter(Call& call, const PutSubscriptionFilterRequest& request) {
  check_group_name(request.logGroupName);
  check_filter_name(request.filterName);
  if (request.applyOnTransformedLogs.value_or(false)) throw unsupported("applyOnTransformedLogs");
  if (request.fieldSelectionCriteria) throw unsupported("fieldSelectionCriteria");
  if (request.emitSystemFields) throw unsupported("emitSystemFields");
  for (const std::string& text : {request.destinationArn, request.roleArn.value_or("")}) {
    if (text.find('\0') != std::string::npos) throw invalid_parameter("Invalid ARN.");
  }
  auto pattern = Pattern::parse(request.filterPattern);
  if (!pattern) throw invalid_parameter(pattern.error());
  check_destination(call, request);
  const Group group = require_group(call, request.logGroupName);
  check_filters_allowed(group);
  check_regex_limit(call, group, request.filterName, pattern->has_regex());
  SubscriptionRow row;
  row.group = group.id;
  row.name = request.filterName;
  row.pattern = request.filterPattern;
  row.destination = request.destinationArn;
  row.role = request.roleArn;
  row.distribution = request.distribution.value_or("ByLogStream");
  row.created = call.now;
  save(call.tx, row, pattern->has_regex());
  if (std::ssize(load_subscriptions(call.tx, group.id)) > kMaxSubscriptionFilters) throw resource_limit_exceeded();
  send_control_message(call, group, row.destination);
  forget_filters(call, group.id);
}

void delete_subscription_filter(Call& call, const DeleteSubscriptionFilterRequest& request) {
  check_group_name(request.logGroupName);
  check_filter_name(request.filterName);
  const Group group = require_group(call, request.logGroupName);
  const auto deleted =
      call.tx.exec("DELETE FROM logs_subscriptions WHERE group_id = $1 AND name = $2", group.id, request.filterName);
  if (deleted == 0) {
    throw wire::ApiError("ResourceNotFoundException", "The specified subscription filter does not exist.");
  }
  forget_filters(call, group.id);
}

DescribeSubscriptionFiltersResponse describe_subscription_filters(Call& call,
                                                                  const DescribeSubscriptionFiltersRequest& request) {
  check_group_name(request.logGroupName);
  const Group group = require_group(call, request.logGroupName);
  const std::int32_t limit = request.limit.value_or(kMaxListedSubscriptions);
  DescribeSubscriptionFiltersResponse response;
  auto& list = response.subscriptionFilters.emplace();
  for (const SubscriptionRow& row : load_subscriptions(call.tx, group.id)) {
    if (!row.name.starts_with(request.filterNamePrefix.value_or(""))) continue;
    if (request.nextToken && row.name <= *request.nextToken) continue;
    if (std::ssize(list) == limit) {
      response.nextToken = list.back().filterName;
      break;
    }
    SubscriptionFilter& filter = list.emplace_back();
    filter.filterName = row.name;
    filter.logGroupName = group.name;
    filter.filterPattern = row.pattern;
    filter.destinationArn = row.destination;
    filter.roleArn = row.role;
    filter.distribution = row.distribution;
    filter.applyOnTransformedLogs = false;
    filter.creationTime = base::to_millis(row.created);
  }
  return response;
}

}  // namespace

std::vector<Operation> subscription_operations() {
  return {
      operation<&put_subscription_filter>("PutSubscriptionFilter", Access::Write),
      operation<&delete_subscription_filter>("DeleteSubscriptionFilter", Access::Write),
      operation<&describe_subscription_filters>("DescribeSubscriptionFilters", Access::Read),
  };
}

}  // namespace services::logs
