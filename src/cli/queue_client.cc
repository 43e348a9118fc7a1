// SPDX-License-Identifier: Apache-2.0
#include "cli/queue_client.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "shapes/cloudwatch/errors.h"
#include "shapes/cloudwatch/metric_query.h"
#include "shapes/sqs/errors.h"
#include "shapes/sqs/queue.h"
#include "wire/error.h"

namespace cli {
namespace {

constexpr wire::Service kQueues{.name = "sqs",
                                .json_namespace = "com.amazonaws.sqs",
                                .target_prefix = "AmazonSQS",
                                .query_compatible = true,
                                .errors = shapes::sqs::kErrors};
const client::Target kQueuesTarget{kQueues, "sqs", wire::Protocol::Json10};
constexpr wire::Service kMetrics{.name = "cloudwatch",
                                 .target_prefix = "GraniteServiceVersion20100801",
                                 .api_version = "2010-08-01",
                                 .errors = shapes::cloudwatch::kErrors};
const client::Target kMetricsTarget{kMetrics, "monitoring", wire::Protocol::Json10};

constexpr std::int32_t kQueuePage = 1000;
constexpr std::size_t kMostQueries = 500;  // of one GetMetricData
constexpr std::int32_t kPeriodSeconds = 60;
constexpr auto kAgesOf = std::chrono::minutes(3);

std::int64_t number_of(const std::map<std::string, std::string>& attributes, const std::string& name) {
  std::int64_t number = 0;
  if (const auto found = attributes.find(name); found != attributes.end()) {
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), number);
  }
  return number;
}

shapes::cloudwatch::MetricDataQuery age_query(const std::string& queue, std::size_t number) {
  shapes::cloudwatch::MetricDataQuery query;
  query.Id = "q" + std::to_string(number);
  query.MetricStat.emplace();
  query.MetricStat->Metric.Namespace = "AWS/SQS";
  query.MetricStat->Metric.MetricName = "ApproximateAgeOfOldestMessage";
  query.MetricStat->Metric.Dimensions = {{"QueueName", queue}};
  query.MetricStat->Period = kPeriodSeconds;
  query.MetricStat->Stat = "Maximum";
  return query;
}

}  // namespace

std::vector<std::string> QueueClient::urls(std::size_t most) {
  using namespace shapes::sqs;
  std::vector<std::string> urls;
  ListQueuesRequest request{.MaxResults = kQueuePage};
  do {
    auto page = client_.call<ListQueuesResult>(kQueuesTarget, "ListQueues", request);
    if (page.QueueUrls) urls.insert(urls.end(), page.QueueUrls->begin(), page.QueueUrls->end());
    request.NextToken = page.NextToken;
  } while (request.NextToken && urls.size() < most);
  if (urls.size() > most) urls.resize(most);
  return urls;
}

QueueCounts QueueClient::counts(const std::string& url) {
  using namespace shapes::sqs;
  const GetQueueAttributesRequest request{url, std::vector<std::string>{"All"}};
  const auto reply = client_.call<GetQueueAttributesResult>(kQueuesTarget, "GetQueueAttributes", request);
  const auto attributes = reply.Attributes.value_or(std::map<std::string, std::string>());
  return {.name = url.substr(url.rfind('/') + 1),
          .visible = number_of(attributes, "ApproximateNumberOfMessages"),
          .in_flight = number_of(attributes, "ApproximateNumberOfMessagesNotVisible"),
          .delayed = number_of(attributes, "ApproximateNumberOfMessagesDelayed")};
}

std::string QueueClient::find(const std::string& name) {
  using namespace shapes::sqs;
  if (name.starts_with("http://") || name.starts_with("https://")) return name;
  try {
    return client_.call<GetQueueUrlResult>(kQueuesTarget, "GetQueueUrl", GetQueueUrlRequest{name, std::nullopt})
        .QueueUrl.value_or("");
  } catch (const wire::ApiError& error) {
    if (error.code().find("NonExistentQueue") == std::string::npos && error.code() != "QueueDoesNotExist") throw;
    throw std::runtime_error("no such queue: " + name);
  }
}

std::string QueueClient::arn_of(const std::string& url) {
  using namespace shapes::sqs;
  const GetQueueAttributesRequest request{url, std::vector<std::string>{"QueueArn"}};
  const auto reply = client_.call<GetQueueAttributesResult>(kQueuesTarget, "GetQueueAttributes", request);
  const auto attributes = reply.Attributes.value_or(std::map<std::string, std::string>());
  const auto found = attributes.find("QueueArn");
  if (found == attributes.end()) throw std::runtime_error("the queue has no ARN: " + url);
  return found->second;
}

std::vector<shapes::sqs::Message> QueueClient::peek(const std::string& url, int most) {
  using namespace shapes::sqs;
  ReceiveMessageRequest request;
  request.QueueUrl = url;
  request.MessageSystemAttributeNames = std::vector<std::string>{"All"};
  request.MessageAttributeNames = std::vector<std::string>{"All"};
  request.MaxNumberOfMessages = most;
  request.VisibilityTimeout = 0;
  request.WaitTimeSeconds = 0;
  return client_.call<ReceiveMessageResult>(kQueuesTarget, "ReceiveMessage", request)
      .Messages.value_or(std::vector<shapes::sqs::Message>());
}

shapes::sqs::SendMessageResult QueueClient::send(const shapes::sqs::SendMessageRequest& request) {
  return client_.call<shapes::sqs::SendMessageResult>(kQueuesTarget, "SendMessage", request);
}

shapes::sqs::StartMessageMoveTaskResult QueueClient::redrive(const shapes::sqs::StartMessageMoveTaskRequest& request) {
  return client_.call<shapes::sqs::StartMessageMoveTaskResult>(kQueuesTarget, "StartMessageMoveTask", request);
}

void QueueClient::purge(const std::string& url) {
  client_.call(kQueuesTarget, "PurgeQueue", shapes::sqs::PurgeQueueRequest{url});
}

void QueueClient::add_ages(std::vector<QueueCounts>& queues, base::Time now) {
  using namespace shapes::cloudwatch;
  GetMetricDataInput request;
  std::map<std::string, QueueCounts*> by_id;
  for (QueueCounts& queue : queues) {
    if (queue.visible == 0 || by_id.size() == kMostQueries) continue;  // without messages there is no age
    MetricDataQuery query = age_query(queue.name, by_id.size());
    by_id[query.Id] = &queue;
    request.MetricDataQueries.push_back(std::move(query));
  }
  if (by_id.empty()) return;
  request.StartTime = now - kAgesOf;
  request.EndTime = now;
  request.ScanBy = "TimestampDescending";
  const auto page = client_.call<GetMetricDataOutput>(kMetricsTarget, "GetMetricData", request);
  for (const MetricDataResult& result : page.MetricDataResults.value_or(std::vector<MetricDataResult>())) {
    const auto queue = by_id.find(result.Id.value_or(""));
    if (queue == by_id.end() || !result.Values || result.Values->empty()) continue;
    queue->second->oldest_seconds = static_cast<std::int64_t>(result.Values->front());
  }
}

}  // namespace cli
