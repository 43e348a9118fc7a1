// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/hash.h"
#include "services/sqs/activity.h"
#include "services/sqs/delivery.h"
#include "services/sqs/draft.h"
#include "services/sqs/errors.h"
#include "services/sqs/holders.h"
#include "services/sqs/in_flight_limit.h"
#include "services/sqs/message.h"
#include "services/sqs/operations.h"
#include "services/sqs/receipt.h"
#include "shapes/sqs/message.h"

namespace services::sqs {
using namespace shapes::sqs;
namespace {

constexpr std::int32_t kMaxMessages = 10;
constexpr std::int32_t kMaxWait = 20;
constexpr std::int32_t kMaxVisibility = 43200;

using Names = std::vector<std::string>;

struct Wanted {
  std::size_t most = 1;
  std::int64_t wait_s = 0, visibility_s = 0;
  Names system_attributes, attributes;
};

std::int64_t in_range(const std::optional<std::int32_t>& value, std::int64_t otherwise, std::string_view name,
                      std::int32_t min, std::int32_t max, const char* reason) {
  if (!value) return otherwise;
  if (*value < min || *value > max) throw invalid_value(std::to_string(*value), name, reason);
  return *value;
}

void check_system_names(const Names& names) {
  constexpr std::string_view kKnown[] = {"All",
                                         "SenderId",
                                         "SentTimestamp",
                                         "ApproximateReceiveCount",
                                         "ApproximateFirstReceiveTimestamp",
                                         "SequenceNumber",
                                         "MessageDeduplicationId",
                                         "MessageGroupId",
                                         "AWSTraceHeader",
                                         "DeadLetterQueueSourceArn"};
  for (const std::string& name : names) {
    if (std::find(std::begin(kKnown), std::end(kKnown), name) == std::end(kKnown)) {
      throw wire::ApiError("InvalidAttributeName", "Unknown Attribute " + name + ".");
    }
  }
}

Wanted read_request(const Queue& queue, const ReceiveMessageRequest& request) {
  Wanted wanted;
  wanted.most = static_cast<std::size_t>(in_range(request.MaxNumberOfMessages, 1, "MaxNumberOfMessages", 1, kMaxMessages,
                                                  "Must be between 1 and 10, if provided."));
  wanted.wait_s = in_range(request.WaitTimeSeconds, queue.receive_wait_s, "WaitTimeSeconds", 0, kMaxWait,
                           "Must be >= 0 and <= 20, if provided.");
  wanted.visibility_s = in_range(request.VisibilityTimeout, queue.visibility_s, "VisibilityTimeout", 0, kMaxVisibility,
                                 "Must be >= 0 and <= 43200, if provided.");
  if (request.ReceiveRequestAttemptId && !queue.fifo) {
    throw invalid_value(*request.ReceiveRequestAttemptId, "ReceiveRequestAttemptId",
                        "The request include parameter that is not valid for this queue type.");
  }
  if (request.ReceiveRequestAttemptId) check_id("ReceiveRequestAttemptId", *request.ReceiveRequestAttemptId);
  // Older clients use the first name, newer ones the second.
  wanted.system_attributes = request.AttributeNames.value_or(Names());
  const Names newer = request.MessageSystemAttributeNames.value_or(Names());
  wanted.system_attributes.insert(wanted.system_attributes.end(), newer.begin(), newer.end());
  check_system_names(wanted.system_attributes);
  wanted.attributes = request.MessageAttributeNames.value_or(Names());
  return wanted;
}

// "All", "*", ".*", a name, or "prefix.*".
bool selects(const Names& names, const std::string& attribute) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    if (name == "All" || name == "*" || name == ".*" || name == attribute) return true;
    return name.ends_with(".*") && attribute.starts_with(std::string_view(name).substr(0, name.size() - 2));
  });
}

StringMap system_attributes(const Delivered& message, const Names& names) {
  StringMap out;
  auto add = [&](const char* name, std::optional<std::string> value) {
    const bool selected = std::any_of(names.begin(), names.end(), [&](const std::string& n) { return n == "All" || n == name; });
    if (value && selected) out[name] = std::move(*value);
  };
  if (names.empty()) return out;
  add("SenderId", message.sender);
  add("SentTimestamp", std::to_string(base::to_millis(message.sent_at)));
  add("ApproximateReceiveCount", std::to_string(message.former_receives + message.receive_count));
  add("ApproximateFirstReceiveTimestamp", std::to_string(base::to_millis(message.first_received_at)));
  add("MessageGroupId", message.group_id);
  add("MessageDeduplicationId", message.deduplication_id);
  if (message.sequence) add("SequenceNumber", sequence_number(*message.sequence));
  add("AWSTraceHeader", message.trace_header);
  add("DeadLetterQueueSourceArn", message.source_arn);
  return out;
}

Message show(const Queue& queue, const Delivered& message, const Wanted& wanted) {
  Message out;
  out.MessageId = message.message_id;
  out.ReceiptHandle = to_handle({queue.id, queue.lot, message.seq, message_tag(message.message_id), message.token});
  out.Body = message.body;
  out.MD5OfBody = base::to_hex(base::md5(message.body));
  StringMap system = system_attributes(message, wanted.system_attributes);
  if (!system.empty()) out.Attributes = std::move(system);
  if (message.attributes.empty() || wanted.attributes.empty()) return out;
  MessageAttributes attributes = decode_attributes(message.attributes);
  std::erase_if(attributes, [&](const auto& entry) { return !selects(wanted.attributes, entry.first); });
  if (attributes.empty()) return out;
  out.MD5OfMessageAttributes = base::to_hex(base::md5(encode_attributes(attributes)));
  out.MessageAttributes = std::move(attributes);
  return out;
}

void remember_holder(Call& call, const Queue& queue, const std::vector<Delivered>& messages) {
  std::vector<Holders::Delivery> deliveries;
  for (const Delivered& one : messages) deliveries.push_back({queue.id, queue.lot, one.seq, one.token});
  Holders& holders = call.local<Holders>();
  call.tx.on_end([&holders, key = call.caller.access_key, deliveries = std::move(deliveries)](bool committed) {
    if (committed) holders.add(key, deliveries);
  });
}

ReceiveMessageResult receive_message(Call& call, const ReceiveMessageRequest& request) {
  Queue queue = find_queue(call, request.QueueUrl, "ReceiveMessage");
  const Wanted wanted = read_request(queue, request);
  const auto visibility = std::chrono::seconds(wanted.visibility_s);
  const base::Time deadline = call.started + std::chrono::seconds(wanted.wait_s);

  std::vector<Delivered> messages;
  bool more = false;
  const auto& attempt = request.ReceiveRequestAttemptId;
  if (attempt) messages = deliver_again(call, queue, *attempt, visibility);
  if (messages.empty()) {
    auto& limit = call.local<InFlightLimit>();
    const std::size_t room = limit.room(call.tx, queue, call.now, wanted.most);
    // Amazon returns this error only for standard queues and without a wait.
    if (room == 0 && wanted.wait_s == 0 && !queue.fifo) {
      throw wire::ApiError("OverLimit", "Too many messages in flight: the queue has reached its limit of 120000.");
    }
    Delivery delivery = deliver(call, queue, room, visibility);
    messages = std::move(delivery.messages);
    more = delivery.more;
    limit.add(queue, messages.size());
    if (attempt && !messages.empty()) remember_attempt(call, queue, *attempt, messages);
  }
  if (messages.empty()) {
    const auto again = more ? call.now : next_visible(call.tx, queue, call.now);
    if (more || call.now < deadline) {
      call.wait = Wait{queue.topic(), std::max(deadline, call.now), again};
    } else {
      note(call, queue, {.empty_receives = 1});
    }
    return {};
  }
  note(call, queue, {.received = static_cast<std::int64_t>(messages.size())});
  if (call.caller.temporary) remember_holder(call, queue, messages);
  std::vector<Message> shown;
  shown.reserve(messages.size());
  for (const Delivered& message : messages) shown.push_back(show(queue, message, wanted));
  return {.Messages = std::move(shown)};
}

}  // namespace

std::vector<Operation> receive_operations() {
  return {
      operation<&receive_message>("ReceiveMessage", Access::Write),
  };
}

}  // namespace services::sqs
