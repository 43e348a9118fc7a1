// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/lot.h"

#include <set>

#include "services/sqs/fifo.h"
#include "services/sqs/message.h"

namespace services::sqs {
namespace {

// How much one sweep deletes of each kind, so that no send waits long behind it.
constexpr std::int64_t kSlice = 500;
constexpr std::int64_t kQueuesPerSweep = 200;

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
  if (!slice.empty()) return true;
  // The lot's number may be given out again, and what is remembered of it must not be
  // remembered of another: it goes last.
  const std::int64_t ids = tx.exec("DELETE FROM sqs_deduplication WHERE (lot, scope, deduplication_id) IN"
                                   " (SELECT lot, scope, deduplication_id FROM sqs_deduplication WHERE lot = $1"
                                   " LIMIT $2)",
                                   *dead, kSlice) +
                           tx.exec("DELETE FROM sqs_receive_attempts WHERE (lot, attempt_id) IN"
                                   " (SELECT lot, attempt_id FROM sqs_receive_attempts WHERE lot = $1 LIMIT $2)",
                                   *dead, kSlice);
  if (ids == 0) tx.exec("DELETE FROM sqs_lots WHERE id = $1", *dead);
  return true;
}

bool sweep_expired_in_order(store::Tx& tx, const Queue& queue, std::int64_t expired) {
  std::set<std::string> groups;
  std::vector<std::int64_t> old;
  tx.query("SELECT seq, group_id FROM sqs_messages WHERE lot = $1 AND sequence IS NOT NULL AND sent_at <= $2 LIMIT $3",
           queue.lot, expired, kSlice)
      .each([&](const store::Row& row) {
        old.push_back(row.integer(0));
        groups.insert(row.str(1));
      });
  for (std::int64_t seq : old) erase_message(tx, seq);
  for (const std::string& group : groups) promote_head(tx, queue, group);
  return old.size() >= static_cast<std::size_t>(kSlice);
}

bool sweep_expired(store::Tx& tx, const Queue& queue, base::Time now) {
  const std::int64_t expired = base::to_millis(queue.expired_at(now));
  if (queue.fifo) return sweep_expired_in_order(tx, queue, expired);
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
  return tx.insert("INSERT INTO sqs_lots (dead) VALUES (0)");
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

Swept sweep(store::Tx& tx, base::Time now, std::int64_t after) {
  if (sweep_dead_lots(tx)) return {true, after};
  auto queues = tx.query("SELECT id FROM sqs_queues WHERE id > $1 ORDER BY id LIMIT $2", after, kQueuesPerSweep)
                    .all([](const store::Row& row) { return row.integer(0); });
  for (std::int64_t id : queues) {
    auto queue = load_queue(tx, id);
    if (queue && sweep_expired(tx, *queue, now)) return {true, id - 1};
  }
  if (queues.size() == static_cast<std::size_t>(kQueuesPerSweep)) return {true, queues.back()};
  const base::Time forgotten = now - kDeduplicationInterval;
  const std::int64_t ids =
      tx.exec("DELETE FROM sqs_deduplication WHERE (lot, scope, deduplication_id) IN"
              " (SELECT lot, scope, deduplication_id FROM sqs_deduplication WHERE at <= $1 LIMIT $2)",
              forgotten, kSlice) +
      tx.exec("DELETE FROM sqs_receive_attempts WHERE (lot, attempt_id) IN"
              " (SELECT lot, attempt_id FROM sqs_receive_attempts WHERE at <= $1 LIMIT $2)",
              forgotten, kSlice);
  if (ids >= kSlice) return {true, queues.empty() ? after : queues.back()};
  return {};
}

}  // namespace services::sqs
