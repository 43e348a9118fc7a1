// SPDX-License-Identifier: Apache-2.0
#include "services/invoke.h"
#include "services/pipelines/definitions/reconciliation.h"
#include "shapes/sqs/queue.h"
#include "shapes/sqs/tag.h"
#include "wire/error.h"

namespace services::pipelines {
namespace {

namespace sqs = shapes::sqs;
using QueueAttributes = std::map<std::string, std::string>;

constexpr char kQueueKind[] = "queue";

std::optional<std::string> queue_url(Call& call, const std::string& name) {
  try {
    return invoke<sqs::GetQueueUrlResult>(call, call.caller, "sqs", "GetQueueUrl", sqs::GetQueueUrlRequest{.QueueName = name})
        .QueueUrl;
  } catch (const wire::ApiError& error) {
    if (error.code() != "QueueDoesNotExist") throw;
    return std::nullopt;
  }
}

QueueAttributes queue_attributes(Call& call, const std::string& url) {
  sqs::GetQueueAttributesRequest request{.QueueUrl = url};
  request.AttributeNames = std::vector<std::string>{"All"};
  return invoke<sqs::GetQueueAttributesResult>(call, call.caller, "sqs", "GetQueueAttributes", request)
      .Attributes.value_or(QueueAttributes());
}

std::int64_t count_of(const QueueAttributes& attributes, const char* name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? 0 : std::stoll(found->second);
}

void reconcile_queue(Reconciliation& work, const std::string& name, const QueueAttributes& desired) {
  const auto url = queue_url(work.call, name);
  claim(work, kQueueKind, name, url.has_value());
  if (!url) {
    work.created(kQueueKind, name);
    if (work.dry_run) return;
    sqs::CreateQueueRequest request{.QueueName = name};
    request.Attributes = desired;
    request.tags = work.tags();
    invoke<sqs::CreateQueueResult>(work.call, work.call.caller, "sqs", "CreateQueue", request);
    return;
  }
  const QueueAttributes standing = queue_attributes(work.call, *url);
  sqs::SetQueueAttributesRequest changed{.QueueUrl = *url};
  Comparison comparison(work, kQueueKind, name);
  for (const auto& [attribute, value] : desired) {
    const auto found = standing.find(attribute);
    if (comparison.json(attribute.c_str(), found == standing.end() ? "" : found->second, value)) {
      changed.Attributes[attribute] = value;
    }
  }
  const auto tags = invoke<sqs::ListQueueTagsResult>(work.call, work.call.caller, "sqs", "ListQueueTags",
                                                sqs::ListQueueTagsRequest{.QueueUrl = *url})
                        .Tags.value_or(QueueAttributes());
  const auto tag = tags.find(kPipelineTag);
  const bool untagged = comparison.tag(tag == tags.end() ? "" : tag->second);
  if (work.dry_run) return;
  if (!changed.Attributes.empty()) invoke(work.call, work.call.caller, "sqs", "SetQueueAttributes", changed);
  if (!untagged) return;
  sqs::TagQueueRequest tagging{.QueueUrl = *url};
  tagging.Tags = work.tags();
  invoke(work.call, work.call.caller, "sqs", "TagQueue", tagging);
}

void delete_one_queue(Reconciliation& work, const std::string& name) {
  const auto url = queue_url(work.call, name);
  if (!url) return;
  work.deleted(kQueueKind, name);
  invoke(work.call, work.call.caller, "sqs", "DeleteQueue", sqs::DeleteQueueRequest{.QueueUrl = *url});
}

}  // namespace

void reconcile_queues(Reconciliation& work, const Desired& desired) {
  reconcile_queue(work, desired.names.failed_queue, desired.failed_queue_attributes);
  reconcile_queue(work, desired.names.queue, desired.queue_attributes);
}

void delete_queues(Reconciliation& work, const Desired& desired) {
  delete_one_queue(work, desired.names.queue);
  delete_one_queue(work, desired.names.failed_queue);
}

void show_items(Call& call, const ResourceNames& names, shapes::stoker::PipelineDescription& into) {
  into.items.emplace();
  if (const auto url = queue_url(call, names.queue)) {
    into.queueUrl = url;
    const QueueAttributes attributes = queue_attributes(call, *url);
    into.items->queued = count_of(attributes, "ApproximateNumberOfMessages") +
                         count_of(attributes, "ApproximateNumberOfMessagesDelayed");
    into.items->inFlight = count_of(attributes, "ApproximateNumberOfMessagesNotVisible");
  }
  if (const auto url = queue_url(call, names.failed_queue)) {
    into.failedQueueUrl = url;
    const QueueAttributes attributes = queue_attributes(call, *url);
    into.items->failed = count_of(attributes, "ApproximateNumberOfMessages") +
                         count_of(attributes, "ApproximateNumberOfMessagesNotVisible");
  }
}

}  // namespace services::pipelines
