// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/fifo.h"

#include "services/sqs/attributes.h"
#include "services/sqs/lot.h"

namespace services::sqs {
namespace {

std::string scope_of(const Queue& queue, const Draft& draft) {
  return other_attribute(queue, "DeduplicationScope") == "messageGroup" ? *draft.group_id : std::string();
}

}  // namespace

std::int64_t next_sequence(store::Tx& tx, const Queue& queue) {
  return tx.query("UPDATE sqs_queues SET next_sequence = next_sequence + 1 WHERE id = $1 RETURNING next_sequence",
                  queue.id)
      .integer();
}

bool group_has_messages(store::Tx& tx, const Queue& queue, const std::string& group) {
  return tx.query("SELECT 1 FROM sqs_messages WHERE lot = $1 AND group_id = $2 AND sequence IS NOT NULL LIMIT 1",
                  queue.lot, group)
             .integer() == 1;
}

void promote_head(store::Tx& tx, const Queue& queue, const std::string& group) {
  struct Head {
    std::int64_t seq, visible_at, sent_at;
  };
  auto head = tx.query("SELECT seq, visible_at, sent_at FROM sqs_messages WHERE lot = $1 AND group_id = $2"
                       " AND sequence IS NOT NULL ORDER BY sequence LIMIT 1",
                       queue.lot, group)
                  .one([](const store::Row& row) { return Head{row.integer(0), row.integer(1), row.integer(2)}; });
  if (!head || head->visible_at != kBlocked) return;
  tx.exec("UPDATE sqs_messages SET visible_at = $2 WHERE seq = $1", head->seq, head->sent_at + queue.delay_s * 1000);
}

std::optional<Sent> find_duplicate(Call& call, const Queue& queue, const Draft& draft) {
  return call.tx
      .query("SELECT message_id, sequence FROM sqs_deduplication WHERE lot = $1 AND scope = $2"
             " AND deduplication_id = $3 AND at > $4",
             queue.lot, scope_of(queue, draft), draft.deduplication_id, call.now - kDeduplicationInterval)
      .one([](const store::Row& row) { return Sent{row.str(0), row.integer(1), true}; });
}

void remember(Call& call, const Queue& queue, const Draft& draft, const Sent& sent) {
  call.tx.exec(
      "INSERT INTO sqs_deduplication (lot, scope, deduplication_id, message_id, sequence, at)"
      " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (lot, scope, deduplication_id)"
      " DO UPDATE SET message_id = excluded.message_id, sequence = excluded.sequence, at = excluded.at",
      queue.lot, scope_of(queue, draft), draft.deduplication_id, sent.message_id, sent.sequence, call.now);
}

}  // namespace services::sqs
