// SPDX-License-Identifier: Apache-2.0
// Deletes what is past its time: expired messages, dead lots, old deduplication ids. It looks for it on a
// snapshot, a bounded number of queues at a time, and deletes a bounded slice, so that no send waits long.
#include <algorithm>
#include <set>

#include "services/sqs/fifo.h"
#include "services/sqs/lot.h"
#include "services/sqs/message.h"
#include "services/sqs/operations.h"
#include "services/usage.h"

namespace services::sqs {
namespace {

constexpr base::Duration kSweepEvery = std::chrono::seconds(10);
constexpr base::Duration kBetweenSlices = std::chrono::milliseconds(5);
constexpr std::size_t kSlice = 500;  // of each kind
constexpr std::int64_t kQueuesPerLook = 200;

// What a look found.
struct Garbage {
  std::optional<std::int64_t> dead_lot = {};
  std::vector<std::int64_t> queues = {};  // those with expired messages
  bool old_ids = false;

  bool empty() const { return !dead_lot && queues.empty() && !old_ids; }
};

std::int64_t first_integer(const store::Row& row) { return row.integer(0); }

std::vector<std::int64_t> slice_of(store::Tx& tx, std::string_view sql, std::int64_t lot, std::int64_t until,
                                   std::size_t most) {
  return tx.query(sql, lot, until, most).all(first_integer);
}

// Expired messages of a standard queue. visible_at is before sent_at only for prioritized messages, so that the first
// statement finds those that were never received.
std::vector<std::int64_t> expired_messages(store::Tx& tx, const Queue& queue, std::int64_t until, std::size_t most) {
  auto expired = slice_of(tx, "SELECT seq FROM sqs_messages WHERE lot = $1 AND visible_at <= $2 AND sent_at <= $2 LIMIT $3",
                          queue.lot, until, most);
  auto received = slice_of(
      tx, "SELECT seq FROM sqs_messages WHERE lot = $1 AND receive_count > 0 AND sent_at <= $2 LIMIT $3", queue.lot,
      until, most);
  expired.insert(expired.end(), received.begin(), received.end());
  return expired;
}

std::vector<std::int64_t> expired_in_order(store::Tx& tx, const Queue& queue, std::int64_t until, std::size_t most) {
  return slice_of(tx, "SELECT seq FROM sqs_messages WHERE lot = $1 AND sequence IS NOT NULL AND sent_at <= $2 LIMIT $3",
                  queue.lot, until, most);
}

std::vector<std::int64_t> find_expired(store::Tx& tx, const Queue& queue, base::Time now, std::size_t most) {
  const std::int64_t until = base::to_millis(queue.expired_at(now));
  return queue.fifo ? expired_in_order(tx, queue, until, most) : expired_messages(tx, queue, until, most);
}

std::optional<std::int64_t> first_dead_lot(store::Tx& tx) {
  return tx.query("SELECT id FROM sqs_lots WHERE dead = 1 ORDER BY id LIMIT 1").one(first_integer);
}

bool has_old_ids(store::Tx& tx, base::Time until) {
  return tx.query("SELECT 1 FROM sqs_deduplication WHERE at <= $1 LIMIT 1", until).integer() == 1 ||
         tx.query("SELECT 1 FROM sqs_receive_attempts WHERE at <= $1 LIMIT 1", until).integer() == 1;
}

void empty_dead_lot(store::Tx& tx, std::int64_t lot) {
  const auto account = tx.query("SELECT account FROM sqs_lots WHERE id = $1 AND dead = 1", lot).one([](const store::Row& row) {
    return row.str(0);
  });
  if (!account) return;
  auto slice = slice_of(tx, "SELECT seq FROM sqs_messages WHERE lot = $1 AND visible_at <= $2 LIMIT $3", lot, kBlocked,
                        kSlice);
  Usage freed;
  for (std::int64_t seq : slice) freed.bytes += erase_message(tx, seq);
  if (!account->empty()) add_usage(tx, *account, -freed);
  if (!slice.empty()) return;
  // A later lot may get the same number: nothing that refers to this one may remain when its row goes.
  const std::int64_t ids = tx.exec("DELETE FROM sqs_deduplication WHERE (lot, scope, deduplication_id) IN"
                                   " (SELECT lot, scope, deduplication_id FROM sqs_deduplication WHERE lot = $1"
                                   " LIMIT $2)",
                                   lot, kSlice) +
                           tx.exec("DELETE FROM sqs_receive_attempts WHERE (lot, attempt_id) IN"
                                   " (SELECT lot, attempt_id FROM sqs_receive_attempts WHERE lot = $1 LIMIT $2)",
                                   lot, kSlice);
  if (ids == 0) tx.exec("DELETE FROM sqs_lots WHERE id = $1", lot);
}

// The heads of FIFO groups move up once, after all of a slice are gone. Returns how many it deleted.
std::size_t delete_expired(Call& call, std::int64_t queue_id, std::size_t most) {
  const auto queue = load_queue(call.tx, queue_id);
  if (!queue) return 0;
  const auto expired = find_expired(call.tx, *queue, call.now, most);
  std::set<std::string> groups;
  Usage freed;
  for (std::int64_t seq : expired) {
    if (auto group = queue->fifo ? group_of(call.tx, seq) : std::nullopt) groups.insert(*group);
    freed.bytes += erase_message(call.tx, seq);
  }
  add_usage(call.tx, queue->account, -freed);
  for (const std::string& group : groups) promote_head(call.tx, *queue, group);
  if (!groups.empty()) call.wake(queue->topic(), groups.size());
  return expired.size();
}

void delete_old_ids(store::Tx& tx, base::Time until) {
  tx.exec("DELETE FROM sqs_deduplication WHERE (lot, scope, deduplication_id) IN"
          " (SELECT lot, scope, deduplication_id FROM sqs_deduplication WHERE at <= $1 LIMIT $2)",
          until, kSlice);
  tx.exec("DELETE FROM sqs_receive_attempts WHERE (lot, attempt_id) IN"
          " (SELECT lot, attempt_id FROM sqs_receive_attempts WHERE at <= $1 LIMIT $2)",
          until, kSlice);
}

// All that it deletes is looked up again: since the look, a queue may have a longer retention period.
void delete_garbage(Call& call, const Garbage& garbage) {
  if (garbage.dead_lot) empty_dead_lot(call.tx, *garbage.dead_lot);
  std::size_t room = kSlice;
  for (std::int64_t queue : garbage.queues) {
    if (room == 0) break;
    room -= std::min(room, delete_expired(call, queue, room));
  }
  if (garbage.old_ids) delete_old_ids(call.tx, call.now - kDeduplicationInterval);
}

// Looks at the queues in the order of their ids, some at each look. It stays with those where it found something
// until they are clean.
class Sweep {
 public:
  Decision look(Call& call) {
    const auto page = call.tx.query("SELECT id FROM sqs_queues WHERE id > $1 ORDER BY id LIMIT $2", after_, kQueuesPerLook)
                          .all(first_integer);
    Garbage garbage{.dead_lot = first_dead_lot(call.tx)};
    for (std::int64_t id : page) {
      const auto queue = load_queue(call.tx, id);
      if (queue && !find_expired(call.tx, *queue, call.now, 1).empty()) garbage.queues.push_back(id);
    }
    garbage.old_ids = has_old_ids(call.tx, call.now - kDeduplicationInterval);
    const bool last_page = page.size() < static_cast<std::size_t>(kQueuesPerLook);
    if (garbage.queues.empty()) after_ = last_page ? 0 : page.back();
    Decision decision;
    const bool more = !garbage.empty() || !last_page;
    decision.next = call.now + (more ? kBetweenSlices : kSweepEvery);
    if (!garbage.empty()) decision.apply = [garbage](Call& write) { delete_garbage(write, garbage); };
    return decision;
  }

 private:
  std::int64_t after_ = 0;
};

}  // namespace

Loop sweep_loop() {
  return {"sqs sweep", kSweepTopic, [sweep = Sweep()](Call& call) mutable { return sweep.look(call); }};
}

}  // namespace services::sqs
