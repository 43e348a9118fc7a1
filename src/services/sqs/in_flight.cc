// SPDX-License-Identifier: Apache-2.0
// Operations on received messages.
#include "services/sqs/activity.h"
#include "services/sqs/batch.h"
#include "services/sqs/errors.h"
#include "services/sqs/lot.h"
#include "services/sqs/message.h"
#include "services/sqs/operations.h"
#include "services/sqs/receipt.h"
#include "shapes/sqs/message_batch.h"

namespace services::sqs {
using namespace shapes::sqs;
namespace {

constexpr std::int32_t kMaxVisibility = 43200;

Receipt read_handle(const Queue& queue, const std::string& handle) {
  if (handle.empty()) throw missing_parameter("ReceiptHandle");
  auto receipt = parse_handle(handle);
  if (!receipt || receipt->queue != queue.id) {
    throw wire::ApiError("ReceiptHandleIsInvalid",
                         "The input receipt handle \"" + handle + "\" is not a valid receipt handle.");
  }
  return *receipt;
}

struct Held {
  bool current = false;  // it was not received again since
  base::Time visible_at;
  bool large = false;    // its body has a row of its own
};

// nullopt for a message that was deleted or purged since.
std::optional<Held> find_held(store::Tx& tx, const Queue& queue, const Receipt& receipt) {
  if (receipt.lot != queue.lot) return std::nullopt;
  std::optional<Held> held;
  tx.query("SELECT receipt, visible_at, message_id, body IS NULL FROM sqs_messages WHERE seq = $1 AND lot = $2", receipt.seq,
           queue.lot)
      .each([&](const store::Row& row) {
        if (message_tag(row.text(2)) == receipt.message) {
          held = Held{row.integer(0) == receipt.token, row.time(1), row.boolean(3)};
        }
      });
  return held;
}

// On a FIFO queue a handle expires with its timeout, or when the message is received
// again. On a standard queue every handle of a message remains valid, also while another
// receiver has it: Amazon was observed to do that.
void check_expired(Call& call, const Queue& queue, const Held& held, const std::string& handle) {
  if (queue.fifo && (!held.current || held.visible_at <= call.now)) {
    throw invalid_value(handle, "ReceiptHandle", "The receipt handle has expired.");
  }
}

// Returns the bytes that it frees.
std::int64_t delete_one(Call& call, const Queue& queue, const std::string& handle) {
  const Receipt receipt = read_handle(queue, handle);
  auto held = find_held(call.tx, queue, receipt);
  if (!held) return 0;  // deleting twice succeeds, as at Amazon
  check_expired(call, queue, *held, handle);
  // The next message of its group becomes visible.
  if (queue.fifo) call.wake(queue.topic(), 1);
  return remove_message(call.tx, queue, receipt.seq, held->large);
}

void change_one(Call& call, const Queue& queue, const std::string& handle, std::int32_t timeout_s) {
  const Receipt receipt = read_handle(queue, handle);
  const std::string text = std::to_string(timeout_s);
  if (timeout_s < 0 || timeout_s > kMaxVisibility) {
    throw invalid_value(text, "VisibilityTimeout", "VisibilityTimeout must be an integer between 0 and 43200.");
  }
  auto held = find_held(call.tx, queue, receipt);
  if (!held) {
    throw invalid_value(handle, "ReceiptHandle",
                        "Message does not exist or is not available for visibility timeout change.");
  }
  check_expired(call, queue, *held, handle);
  const base::Time until = call.now + std::chrono::seconds(timeout_s);
  if (until > received_at(receipt) + std::chrono::seconds(kMaxVisibility)) {
    throw invalid_value(text, "VisibilityTimeout",
                        "Total VisibilityTimeout for the message is beyond the limit [43200 seconds]");
  }
  call.tx.exec("UPDATE sqs_messages SET visible_at = $2 WHERE seq = $1", receipt.seq, until);
  call.wake(queue.topic(), 1);
}

void delete_message(Call& call, const DeleteMessageRequest& request) {
  Queue queue = find_queue(call, request.QueueUrl, "DeleteMessage");
  add_usage(call.tx, queue.account, {.bytes = -delete_one(call, queue, request.ReceiptHandle)});
  note(call, queue, {.deleted = 1});
}

DeleteMessageBatchResult delete_message_batch(Call& call, const DeleteMessageBatchRequest& request) {
  Queue queue = find_queue(call, request.QueueUrl, "DeleteMessage");
  check_entries(request.Entries, "DeleteMessageBatchRequestEntry");
  Usage freed;
  auto result =
      for_each_entry<DeleteMessageBatchResult>(request.Entries, [&](const DeleteMessageBatchRequestEntry& entry) {
        freed.bytes += delete_one(call, queue, entry.ReceiptHandle);
        return DeleteMessageBatchResultEntry{entry.Id};
      });
  add_usage(call.tx, queue.account, -freed);
  note(call, queue, {.deleted = result.Successful ? static_cast<std::int64_t>(result.Successful->size()) : 0});
  return result;
}

void change_message_visibility(Call& call, const ChangeMessageVisibilityRequest& request) {
  Queue queue = find_queue(call, request.QueueUrl, "ChangeMessageVisibility");
  change_one(call, queue, request.ReceiptHandle, request.VisibilityTimeout);
  note(call, queue);
}

ChangeMessageVisibilityBatchResult change_message_visibility_batch(Call& call,
                                                                   const ChangeMessageVisibilityBatchRequest& request) {
  Queue queue = find_queue(call, request.QueueUrl, "ChangeMessageVisibility");
  check_entries(request.Entries, "ChangeMessageVisibilityBatchRequestEntry");
  note(call, queue);
  return for_each_entry<ChangeMessageVisibilityBatchResult>(
      request.Entries, [&](const ChangeMessageVisibilityBatchRequestEntry& entry) {
        if (!entry.VisibilityTimeout) throw missing_parameter("VisibilityTimeout");
        change_one(call, queue, entry.ReceiptHandle, *entry.VisibilityTimeout);
        return ChangeMessageVisibilityBatchResultEntry{entry.Id};
      });
}

}  // namespace

std::vector<Operation> in_flight_operations() {
  return {
      operation<&change_message_visibility>("ChangeMessageVisibility", Access::Write),
      operation<&change_message_visibility_batch>("ChangeMessageVisibilityBatch", Access::Write),
      operation<&delete_message>("DeleteMessage", Access::Write),
      operation<&delete_message_batch>("DeleteMessageBatch", Access::Write),
  };
}

}  // namespace services::sqs
