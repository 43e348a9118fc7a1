// SPDX-License-Identifier: Apache-2.0
// Operations on messages by their ids, for services that track the messages they sent.
#include <optional>
#include <set>

#include "services/sqs/activity.h"
#include "services/sqs/lot.h"
#include "services/sqs/message.h"
#include "services/sqs/operations.h"
#include "services/usage.h"
#include "shapes/stoker/pipeline_hooks.h"

namespace services::sqs {
namespace {

struct Tracked {
  std::int64_t seq = 0;
  std::int64_t visible_at = 0, receive_count = 0;
};

Tracked read_tracked(const store::Row& row) { return {row.integer(0), row.integer(1), row.integer(2)}; }

// An index on ids would slow down every send. The time of sending leads to the message through indexes that exist:
// visible_at of one that was never received follows from it.
std::optional<Tracked> find_tracked(store::Tx& tx, const Queue& queue, const std::string& id, base::Time sent_at) {
  if (queue.fifo) {
    return tx.query("SELECT seq, visible_at, receive_count FROM sqs_messages WHERE lot = $1 AND sequence IS NOT NULL"
                    " AND sent_at = $2 AND message_id = $3",
                    queue.lot, sent_at, id)
        .one(read_tracked);
  }
  auto received = tx.query("SELECT seq, visible_at, receive_count FROM sqs_messages WHERE lot = $1 AND receive_count > 0"
                           " AND sent_at = $2 AND message_id = $3",
                           queue.lot, sent_at, id)
                      .one(read_tracked);
  if (received) return received;
  std::vector<base::Time> visible = {sent_at};
  if (queue.delay_s > 0) visible.push_back(sent_at + std::chrono::seconds(queue.delay_s));
  for (std::int64_t priority = 1; priority <= kMaxPriority; ++priority) {
    visible.push_back(sent_at - priority * kPriorityStep);
  }
  for (base::Time at : visible) {
    auto found = tx.query("SELECT seq, visible_at, receive_count FROM sqs_messages WHERE lot = $1 AND visible_at = $2"
                          " AND message_id = $3",
                          queue.lot, at, id)
                     .one(read_tracked);
    if (found) return found;
  }
  return std::nullopt;
}

// nullopt for a missing queue and one of another account.
std::optional<Queue> find_tracked_queue(Call& call, const std::string& arn) {
  const auto name = parse_queue_arn(arn);
  if (!name || name->account != call.caller.account) return std::nullopt;
  return load_queue(call.tx, *name);
}

void remove_tracked(Call& call, const shapes::stoker::RemoveMessage& request) {
  const auto queue = find_tracked_queue(call, request.queueArn);
  if (!queue) return;
  const auto message = find_tracked(call.tx, *queue, request.messageId, request.sentAt);
  if (!message) return;
  add_usage(call.tx, queue->account, {.bytes = -remove_message(call.tx, *queue, message->seq)});
  if (queue->fifo) call.wake(queue->topic(), 1);
  note(call, *queue, {.deleted = 1});
}

void bury_tracked(Call& call, const shapes::stoker::BuryMessage& request) {
  const auto queue = find_tracked_queue(call, request.queueArn);
  if (!queue) return;
  const auto message = find_tracked(call.tx, *queue, request.messageId, request.sentAt);
  if (!message) return;
  const auto dead_letters =
      queue->dead_letter_arn ? load_queue(call.tx, *parse_queue_arn(*queue->dead_letter_arn)) : std::nullopt;
  if (dead_letters) {
    bury_message(call, *queue, *dead_letters, message->seq);
  } else {
    add_usage(call.tx, queue->account, {.bytes = -remove_message(call.tx, *queue, message->seq)});
    note(call, *queue, {.deleted = 1});
  }
  if (queue->fifo) call.wake(queue->topic(), 1);
}

// The queue's delay may have changed since a message was sent. Then its time of sending does not lead to it, and only
// a look at all messages shows whether it is there.
void keep_missing(store::Tx& tx, const Queue& queue, std::set<std::string>& ids) {
  tx.query("SELECT message_id FROM sqs_messages WHERE lot = $1", queue.lot)
      .each([&](const store::Row& row) { ids.erase(row.str(0)); });
}

shapes::stoker::MissingMessages find_missing(Call& call, const shapes::stoker::FindMissingMessages& request) {
  const auto queue = find_tracked_queue(call, request.queueArn);
  std::set<std::string> missing;
  for (const shapes::stoker::SentMessage& sent : request.messages) {
    if (queue && find_tracked(call.tx, *queue, sent.messageId, sent.sentAt)) continue;
    missing.insert(sent.messageId);
  }
  if (queue && !missing.empty()) keep_missing(call.tx, *queue, missing);
  return {{missing.begin(), missing.end()}};
}

// A delay is kept, and the order of a FIFO queue is.
void prioritize_message(Call& call, const shapes::stoker::PrioritizeMessage& request) {
  const auto queue = find_tracked_queue(call, request.queueArn);
  if (!queue || queue->fifo || request.priority < 0 || request.priority > kMaxPriority) return;
  const auto message = find_tracked(call.tx, *queue, request.messageId, request.sentAt);
  if (!message || message->receive_count > 0 || message->visible_at > base::to_millis(call.now)) return;
  call.tx.exec("UPDATE sqs_messages SET visible_at = $2 WHERE seq = $1", message->seq,
               request.sentAt - request.priority * kPriorityStep);
}

}  // namespace

std::vector<Operation> tracked_message_operations() {
  return {operation<&remove_tracked>("RemoveMessage", Access::Write),
          operation<&bury_tracked>("BuryMessage", Access::Write),
          operation<&find_missing>("FindMissingMessages", Access::Read),
          operation<&prioritize_message>("PrioritizeMessage", Access::Write)};
}

}  // namespace services::sqs
