// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/lot.h"

#include "services/sqs/fifo.h"
#include "services/sqs/message.h"

namespace services::sqs {
namespace {

// How much one sweep deletes of each kind, so that no send waits long behind it.
constexpr std::int64_t kSlice = 2000;

std::vector<std::int64_t> slice_of(store::Tx& tx, std::string_view sql, std::int64_t lot, std::int64_t until) {
  return tx.query(sql, lot, until, kSlice).all([](const store::Row& row) { return row.integer(0); });
}

bool sweep_dead_lots(store::Tx& tx) {
  auto dead = tx.query("SELECT id FROM sqs_lots WHERE dead = 1 ORDER BY id LIMIT 1").one([](const store::Row& row) {
    return row.integer(0);
  });
  if (!dead) return false;
  auto slice = slice_of(tx, "SELECT seq FROM sqs_messages WHERE lot = $1 AND visible_at <= $2 LIMIT $3", *dead,
                        kBlocked);
  for (std::int64_t seq : slice) erase_message(tx, seq);
  if (slice.empty()) tx.exec("DELETE FROM sqs_lots WHERE id = $1", *dead);
  return true;
}

bool sweep_expired(store::Tx& tx, const Queue& queue, base::Time now) {
  const std::int64_t expired = base::to_millis(queue.expired_at(now));
  // visible_at is never before sent_at: what was never received is found by it.
  auto old = slice_of(tx, "SELECT seq FROM sqs_messages WHERE lot = $1 AND visible_at <= $2 LIMIT $3", queue.lot,
                      expired);
  auto received = slice_of(
      tx, "SELECT seq FROM sqs_messages WHERE lot = $1 AND receive_count > 0 AND sent_at <= $2 LIMIT $3", queue.lot,
      expired);
  old.insert(old.end(), received.begin(), received.end());
  for (std::int64_t seq : old) remove_message(tx, queue, seq);
  return old.size() >= static_cast<std::size_t>(kSlice);
}

}  // namespace

std::int64_t open_lot(store::Tx& tx) {
  return tx.query("INSERT INTO sqs_lots (dead) VALUES (0) RETURNING id").integer();
}

void close_lot(Call& call, std::int64_t lot) {
  call.tx.exec("UPDATE sqs_lots SET dead = 1 WHERE id = $1", lot);
  call.wake(kSweepTopic);
}

Counts count_messages(store::Tx& tx, const Queue& queue, base::Time now) {
  Counts counts;
  const std::int64_t now_ms = base::to_millis(now);
  // Messages behind the head of a FIFO group are there to be received, only not yet.
  counts.visible =
      tx.query("SELECT count(*) FROM sqs_messages WHERE lot = $1 AND visible_at > $2 AND visible_at <= $3"
               " AND sent_at > $2",
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

bool sweep(store::Tx& tx, base::Time now) {
  bool more = sweep_dead_lots(tx);
  auto queues = tx.query("SELECT id FROM sqs_queues").all([](const store::Row& row) { return row.integer(0); });
  for (std::int64_t id : queues) {
    auto queue = load_queue(tx, id);
    if (queue) more = sweep_expired(tx, *queue, now) || more;
  }
  tx.exec("DELETE FROM sqs_deduplication WHERE at <= $1", now - kDeduplicationInterval);
  tx.exec("DELETE FROM sqs_receive_attempts WHERE at <= $1", now - kDeduplicationInterval);
  return more;
}

}  // namespace services::sqs
