// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"
#include "services/sqs/batch.h"
#include "services/sqs/draft.h"
#include "services/sqs/operations.h"
#include "shapes/sqs/message_batch.h"

namespace services::sqs {
using namespace shapes::sqs;
namespace {

constexpr std::size_t kMaxBatchBytes = 1048576;

template <class Request>
Outgoing outgoing(const Request& request) {
  return {request.MessageBody,           request.DelaySeconds,           request.MessageAttributes,
          request.MessageSystemAttributes, request.MessageDeduplicationId, request.MessageGroupId};
}

std::string md5_hex(std::string_view bytes) { return base::to_hex(base::md5(bytes)); }

// Result is SendMessageResult or SendMessageBatchResultEntry: they share these members.
template <class Result>
void describe(const Draft& draft, Sent sent, Result& result) {
  result.MessageId = std::move(sent.message_id);
  result.MD5OfMessageBody = md5_hex(draft.body);
  if (!draft.attributes.empty()) result.MD5OfMessageAttributes = md5_hex(draft.attributes);
  if (draft.trace_header) result.MD5OfMessageSystemAttributes = md5_hex(encode_trace_header(*draft.trace_header));
  if (sent.sequence) result.SequenceNumber = sequence_number(*sent.sequence);
}

void check_batch(const Queue& queue, const SendMessageBatchRequest& request) {
  check_entries(request.Entries, "SendMessageBatchRequestEntry");
  std::size_t total = 0;
  for (const auto& entry : request.Entries) {
    total += size_bytes(outgoing(entry));
    // In a batch Amazon reports a missing MessageGroupId as an invalid value.
    if (queue.fifo && !entry.MessageGroupId) throw invalid_parameter(missing_parameter("MessageGroupId").message());
    check_fifo_ids(queue, outgoing(entry));
  }
  if (total > kMaxBatchBytes) {
    throw wire::ApiError("BatchRequestTooLong", "Batch requests cannot be longer than 1048576 bytes. You have sent " +
                                                    std::to_string(total) + " bytes.");
  }
}

SendMessageResult send_message(Call& call, const SendMessageRequest& request) {
  Queue queue = find_queue(call, request.QueueUrl, "SendMessage");
  const Draft draft = make_draft(queue, outgoing(request));
  SendMessageResult result;
  describe(draft, put_messages(call, queue, {&draft, 1}).front(), result);
  return result;
}

// Internal: may the caller send to this queue? Throws what SendMessage would, and ignores all other members.
void check_send_message(Call& call, const SendMessageRequest& request) {
  find_queue(call, request.QueueUrl, "SendMessage");
}

SendMessageBatchResult send_message_batch(Call& call, const SendMessageBatchRequest& request) {
  Queue queue = find_queue(call, request.QueueUrl, "SendMessage");
  check_batch(queue, request);
  SendMessageBatchResult result;
  std::vector<Draft> drafts;
  for (const SendMessageBatchRequestEntry& entry : request.Entries) {
    try {
      drafts.push_back(make_draft(queue, outgoing(entry)));
      add_entry(result.Successful, {.Id = entry.Id});
    } catch (const wire::ApiError& error) {
      add_entry(result.Failed, failed_entry(entry.Id, error));
    }
  }
  std::vector<Sent> sent = put_messages(call, queue, drafts);
  for (std::size_t i = 0; i < sent.size(); ++i) describe(drafts[i], std::move(sent[i]), (*result.Successful)[i]);
  return result;
}

}  // namespace

std::vector<Operation> send_operations() {
  return {
      operation<&send_message>("SendMessage", Access::Write),
      operation<&send_message_batch>("SendMessageBatch", Access::Write),
  };
}

std::vector<Operation> internal_send_operations() {
  return {operation<&check_send_message>("CheckSendMessage", Access::Read)};
}

}  // namespace services::sqs
