// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/lot.h"

namespace services::sqs {

std::int64_t open_lot(store::Tx& tx, const std::string& account) {
  return tx.insert("INSERT INTO sqs_lots (dead, account) VALUES (0, $1)", account);
}

void close_lot(Call& call, std::int64_t lot) {
  call.tx.exec("UPDATE sqs_lots SET dead = 1 WHERE id = $1", lot);
  call.wake(kSweepTopic);
}

Counts count_messages(store::Tx& tx, const Queue& queue, base::Time now) {
  Counts counts;
  const std::int64_t now_ms = base::to_millis(now);
  // Amazon counts messages behind the head of a FIFO group as visible.
  counts.visible =
      tx.query("SELECT count(*) FROM sqs_messages WHERE lot = $1 AND visible_at <= $3 AND sent_at > $2",
               queue.lot, queue.expired_at(now), now_ms)
          .integer();
  if (queue.fifo) {
    counts.visible +=
        tx.query("SELECT count(*) FROM sqs_messages WHERE lot = $1 AND visible_at = $2 AND sent_at > $3", queue.lot,
                 kBlocked, queue.expired_at(now))
            .integer();
  }
  counts.in_flight = count_messages_in_flight(tx, queue, now);
  counts.delayed = tx.query("SELECT count(*) FROM sqs_messages WHERE lot = $1 AND visible_at > $2 AND visible_at < $3"
                            " AND receive_count = 0 AND sent_at > $4",
                            queue.lot, now_ms, kBlocked, queue.expired_at(now))
                       .integer();
  return counts;
}

std::int64_t count_messages_in_flight(store::Tx& tx, const Queue& queue, base::Time now) {
  return tx.query("SELECT count(*) FROM sqs_messages WHERE lot = $1 AND visible_at > $2 AND visible_at < $3"
                  " AND receive_count > 0 AND sent_at > $4",
                  queue.lot, now, kBlocked, queue.expired_at(now))
      .integer();
}

void redelay_lot(store::Tx& tx, const Queue& queue) {
  tx.exec("UPDATE sqs_messages SET visible_at = sent_at + $2 WHERE lot = $1 AND receive_count = 0 AND visible_at < $3",
          queue.lot, queue.delay_s * 1000, kBlocked);
}

}  // namespace services::sqs
