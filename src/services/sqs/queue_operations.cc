// SPDX-License-Identifier: Apache-2.0
// Operations that create, find, change and delete queues.
#include "services/arn.h"
#include "services/sqs/activity.h"
#include "services/sqs/attributes.h"
#include "services/sqs/errors.h"
#include "services/sqs/lot.h"
#include "services/sqs/operations.h"
#include "services/sqs/queue.h"
#include "services/sqs/recent_counts.h"
#include "services/sqs/tags.h"
#include "shapes/sqs/queue.h"

namespace services::sqs {
using namespace shapes::sqs;
namespace {

constexpr std::size_t kMaxNameLength = 80;
constexpr std::string_view kFifoSuffix = ".fifo";

bool plain_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

// Whether the attributes request a FIFO queue, for which the name must match.
bool check_name(const std::string& name, const StringMap& attributes) {
  if (name.empty()) throw missing_parameter("QueueName");
  auto found = attributes.find("FifoQueue");
  const bool fifo = found != attributes.end() && base::equals_ignoring_case(found->second, "true");
  std::string_view stem = name;
  if (fifo && stem.ends_with(kFifoSuffix)) stem.remove_suffix(kFifoSuffix.size());
  if (name.size() > kMaxNameLength || !plain_name(stem) || (fifo && !name.ends_with(kFifoSuffix))) {
    throw invalid_parameter(fifo ? "The name of a FIFO queue can only include alphanumeric characters, hyphens, or "
                                   "underscores, must end with .fifo suffix and be 1 to 80 in length."
                                 : "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in "
                                   "length");
  }
  return fifo;
}

// Creating a queue again with the same attributes returns the existing one.
void check_same(store::Tx& tx, const Queue& existing, const StringMap& requested) {
  Queue wanted = existing;
  apply_attributes(tx, wanted, requested);
  const StringMap before = shown_attributes(existing), after = shown_attributes(wanted);
  for (const auto& [name, value] : requested) {
    auto old_value = before.find(name), new_value = after.find(name);
    const bool same = (old_value == before.end()) == (new_value == after.end()) &&
                      (old_value == before.end() || old_value->second == new_value->second);
    if (!same) {
      throw wire::ApiError("QueueNameExists",
                           "A queue already exists with the same name and a different value for attribute " + name);
    }
  }
}

void insert_queue(store::Tx& tx, const Queue& queue) {
  tx.exec(
      "INSERT INTO sqs_queues (account, region, name, lot, next_sequence, created_at, modified_at, fifo, delay_s,"
      " max_message_bytes, retention_s, receive_wait_s, visibility_s, content_deduplication, dead_letter_arn,"
      " max_receives, policy, attributes, tags)"
      " VALUES ($1, $2, $3, $4, 0, $5, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
      queue.account, queue.region, queue.name, queue.lot, queue.created_at, queue.fifo, queue.delay_s,
      queue.max_message_bytes, queue.retention_s, queue.receive_wait_s, queue.visibility_s,
      queue.content_deduplication, queue.dead_letter_arn, queue.max_receives, queue.policy, queue.attributes,
      queue.tags);
}

void update_queue(store::Tx& tx, const Queue& queue) {
  tx.exec(
      "UPDATE sqs_queues SET modified_at = $2, delay_s = $3, max_message_bytes = $4, retention_s = $5,"
      " receive_wait_s = $6, visibility_s = $7, content_deduplication = $8, dead_letter_arn = $9, max_receives = $10,"
      " policy = $11, attributes = $12 WHERE id = $1",
      queue.id, queue.modified_at, queue.delay_s, queue.max_message_bytes, queue.retention_s, queue.receive_wait_s,
      queue.visibility_s, queue.content_deduplication, queue.dead_letter_arn, queue.max_receives, queue.policy,
      queue.attributes);
}

CreateQueueResult create_queue(Call& call, const CreateQueueRequest& request) {
  const StringMap attributes = request.Attributes.value_or(StringMap());
  const bool fifo = check_name(request.QueueName, attributes);
  QueueName name{call.caller.account, call.caller.region, request.QueueName};
  if (auto existing = load_queue(call.tx, name)) {
    check_same(call.tx, *existing, attributes);
    return {.QueueUrl = existing->url(call.caller)};
  }
  Queue queue;
  queue.account = name.account;
  queue.region = name.region;
  queue.name = name.name;
  queue.fifo = fifo;
  queue.created_at = queue.modified_at = call.now;
  apply_attributes(call.tx, queue, attributes);
  queue.tags = to_json(add_tags({}, request.tags.value_or(StringMap())));
  check_quota(call, queue.account, {.queues = 1});
  queue.lot = open_lot(call.tx, queue.account);
  insert_queue(call.tx, queue);
  add_usage(call.tx, queue.account, {.queues = 1});
  return {.QueueUrl = queue.url(call.caller)};
}

void delete_queue(Call& call, const DeleteQueueRequest& request) {
  Queue queue = find_own_queue(call, request.QueueUrl);
  call.tx.exec("DELETE FROM sqs_queues WHERE id = $1", queue.id);
  call.tx.exec("DELETE FROM sqs_move_tasks WHERE queue = $1", queue.id);
  add_usage(call.tx, queue.account, {.queues = -1});
  close_lot(call, queue.lot);
  call.wake(queue.topic());  // its receivers must report that it is gone
  QueueActivity& activity = call.local<QueueActivity>();
  call.tx.on_end([&activity, id = queue.id](bool committed) {
    if (committed) activity.forget(id);
  });
}

GetQueueUrlResult get_queue_url(Call& call, const GetQueueUrlRequest& request) {
  if (request.QueueName.empty()) throw missing_parameter("QueueName");
  const std::string owner = request.QueueOwnerAWSAccountId.value_or(call.caller.account);
  if (!is_account_id(owner)) throw queue_does_not_exist();
  Queue queue = find_queue(call, "/" + owner + "/" + request.QueueName, "GetQueueUrl");
  return {.QueueUrl = queue.url(call.caller)};
}

GetQueueAttributesResult get_queue_attributes(Call& call, const GetQueueAttributesRequest& request) {
  Queue queue = find_queue(call, request.QueueUrl, "GetQueueAttributes");
  call.local<QueueActivity>().touch(queue.id, call.now);
  const auto names = request.AttributeNames.value_or(std::vector<std::string>());
  auto requested = [&](std::string_view name) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& n) { return n == name || n == "All"; });
  };
  for (const std::string& name : names) {
    if (!known_attribute(name)) throw wire::ApiError("InvalidAttributeName", "Unknown Attribute " + name + ".");
  }
  StringMap shown = shown_attributes(queue);
  if (std::any_of(names.begin(), names.end(), [](const std::string& n) { return n == "All" || n.starts_with("Appr"); })) {
    const Counts counts = call.local<RecentCounts>().count(call.tx, queue, call.now);
    shown["ApproximateNumberOfMessages"] = std::to_string(counts.visible);
    shown["ApproximateNumberOfMessagesNotVisible"] = std::to_string(counts.in_flight);
    shown["ApproximateNumberOfMessagesDelayed"] = std::to_string(counts.delayed);
  }
  std::erase_if(shown, [&](const auto& entry) { return !requested(entry.first); });
  if (shown.empty()) return {};
  return {.Attributes = std::move(shown)};
}

void set_queue_attributes(Call& call, const SetQueueAttributesRequest& request) {
  Queue queue = find_own_queue(call, request.QueueUrl);
  if (request.Attributes.empty()) throw missing_parameter("Attribute.Name");
  const std::int64_t old_delay_s = queue.delay_s;
  apply_attributes(call.tx, queue, request.Attributes);
  queue.modified_at = call.now;
  update_queue(call.tx, queue);
  // A FIFO queue's new delay also applies to the messages in it, as at Amazon.
  if (queue.fifo && queue.delay_s != old_delay_s) redelay_lot(call.tx, queue);
  call.wake(queue.topic());
}

void purge_queue(Call& call, const PurgeQueueRequest& request) {
  Queue queue = find_queue(call, request.QueueUrl, "PurgeQueue");
  call.tx.exec("UPDATE sqs_queues SET lot = $2 WHERE id = $1", queue.id,
               open_lot(call.tx, queue.account));
  close_lot(call, queue.lot);
  note(call, queue);
}

}  // namespace

std::vector<Operation> queue_operations() {
  return {
      operation<&create_queue>("CreateQueue", Access::Write),
      operation<&delete_queue>("DeleteQueue", Access::Write),
      operation<&get_queue_attributes>("GetQueueAttributes", Access::Read),
      operation<&get_queue_url>("GetQueueUrl", Access::Read),
      operation<&purge_queue>("PurgeQueue", Access::Write),
      operation<&set_queue_attributes>("SetQueueAttributes", Access::Write),
  };
}

}  // namespace services::sqs
