// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"
#include "services/sqs/batch.h"
#include "services/sqs/draft.h"
#include "services/sqs/handlers.h"

namespace services::sqs {
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
void send(Call& call, const Queue& queue, const Draft& draft, Result& result) {
  Sent sent = put_message(call, queue, draft);
  result.MessageId = std::move(sent.message_id);
  result.MD5OfMessageBody = md5_hex(draft.body);
  if (!draft.attributes.empty()) result.MD5OfMessageAttributes = md5_hex(draft.attributes);
  if (draft.trace_header) result.MD5OfMessageSystemAttributes = md5_hex(encode_trace_header(*draft.trace_header));
  if (sent.sequence) result.SequenceNumber = sequence_number(*sent.sequence);
}

}  // namespace

SendMessageResult send_message(Call& call, const SendMessageRequest& request) {
  Queue queue = find_queue(call, request.QueueUrl, "SendMessage");
  SendMessageResult result;
  send(call, queue, make_draft(queue, outgoing(request)), result);
  return result;
}

SendMessageBatchResult send_message_batch(Call& call, const SendMessageBatchRequest& request) {
  Queue queue = find_queue(call, request.QueueUrl, "SendMessage");
  check_entries(request.Entries, "SendMessageBatchRequestEntry");
  std::size_t total = 0;
  for (const auto& entry : request.Entries) {
    total += size_bytes(outgoing(entry));
    // Missing alone, Amazon calls it an invalid value here.
    if (queue.fifo && !entry.MessageGroupId) throw invalid_parameter(missing_parameter("MessageGroupId").message());
    check_fifo_ids(queue, outgoing(entry));
  }
  if (total > kMaxBatchBytes) {
    throw wire::ApiError("BatchRequestTooLong", "Batch requests cannot be longer than 1048576 bytes. You have sent " +
                                                    std::to_string(total) + " bytes.");
  }
  return for_each_entry<SendMessageBatchResult>(request.Entries, [&](const SendMessageBatchRequestEntry& entry) {
    SendMessageBatchResultEntry result{.Id = entry.Id};
    send(call, queue, make_draft(queue, outgoing(entry)), result);
    return result;
  });
}

}  // namespace services::sqs
