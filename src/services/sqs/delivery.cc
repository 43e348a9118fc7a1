// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/delivery.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>

#include "services/directory.h"
#include "services/invoke.h"
#include "services/sqs/fifo.h"
#include "services/sqs/lot.h"
#include "services/sqs/receipt.h"
#include "services/usage.h"
#include "shapes/stoker/pipeline_hooks.h"

namespace services::sqs {
namespace {

// After expired or dead messages a receive reads a page at a time, so many times; of a FIFO
// queue it reads so many pages of groups.
constexpr std::size_t kPage = 100;
constexpr int kMaxRounds = 10;
constexpr int kMaxGroupPages = 50;

// A message as stored: `token` and `receive_count` are of its last delivery.
struct Stored {
  Delivered message;
  std::int64_t visible_at = 0;
  bool large = false;
  bool received_before = false;
};

Stored read_stored(const store::Row& row) {
  Stored stored;
  Delivered& message = stored.message;
  message.seq = row.integer(0);
  message.message_id = row.str(1);
  stored.large = row.is_null(2);
  message.body = row.str(2);
  message.sender = row.str(3);
  message.sent_at = row.time(4);
  stored.received_before = !row.is_null(5);
  message.first_received_at = row.time(5);
  message.receive_count = row.integer(6);
  message.attributes = row.str(7);
  message.trace_header = row.maybe_str(8);
  message.group_id = row.maybe_str(9);
  message.deduplication_id = row.maybe_str(10);
  message.source_arn = row.maybe_str(11);
  message.sequence = row.maybe_integer(12);
  message.token = row.integer(13);
  stored.visible_at = row.integer(14);
  message.former_receives = row.integer(15);
  return stored;
}

#define STORED_COLUMNS                                                                                     \
  "SELECT seq, message_id, body, sender, sent_at, first_received_at, receive_count, attributes, trace_header," \
  " group_id, deduplication_id, source_arn, sequence, receipt, visible_at, former_receives FROM sqs_messages "

std::optional<Stored> load_stored(store::Tx& tx, std::int64_t seq) {
  return tx.query(STORED_COLUMNS "WHERE seq = $1", seq).one(read_stored);
}

// One ReceiveMessage.
struct Receiver {
  Call& call;
  const Queue& queue;
  base::Duration visibility;
  std::optional<Queue> dead_letters = {};

  Receiver(Call& c, const Queue& q, base::Duration v) : call(c), queue(q), visibility(v) {
    if (queue.dead_letter_arn) dead_letters = load_queue(call.tx, *parse_queue_arn(*queue.dead_letter_arn));
  }

  // Removes a message that must not be delivered any more.
  bool discarded(const Stored& stored) {
    const Delivered& message = stored.message;
    if (message.sent_at <= queue.expired_at(call.now)) {
      add_usage(call.tx, queue.account, {.bytes = -remove_message(call.tx, queue, message.seq, stored.large)});
      return true;
    }
    if (dead_letters && message.receive_count >= queue.max_receives) {
      bury_message(call, queue, *dead_letters, message.seq);
      announce_dead_letter(message);
      return true;
    }
    return false;
  }

  // A pipeline's job has failed.
  void announce_dead_letter(const Delivered& message) {
    if (!call.directory || !call.directory->find("pipelines", "MessageDeadLettered")) return;
    const shapes::stoker::MessageDeadLettered dead{queue.arn(), message.message_id, message.receive_count};
    const Caller sqs = as_service(call, "sqs.amazonaws.com", queue.arn(), queue.account);
    invoke(call, sqs, "pipelines", "MessageDeadLettered", dead);
  }

  Delivered mark(Stored stored) {
    // Counted before delivery, not after: a worker that dies mid-read must still
    // move a message nearer the dead-letter queue.
    Delivered& message = stored.message;
    message.token = new_token(call.now);
    message.receive_count += 1;
    if (!stored.received_before) message.first_received_at = call.now;
    call.tx.exec("UPDATE sqs_messages SET visible_at = $2, receive_count = $3, receipt = $4, first_received_at = $5"
                 " WHERE seq = $1",
                 message.seq, call.now + visibility, message.receive_count, message.token, message.first_received_at);
    if (stored.large) message.body = read_body(call.tx, message.seq);
    return std::move(message);
  }

  Delivery take(std::size_t most) {
    for (int round = 0; round < kMaxRounds; ++round) {
      const std::size_t limit = round == 0 ? most : kPage;
      auto found = call.tx
                       .query(STORED_COLUMNS "WHERE lot = $1 AND visible_at <= $2"
                                             " ORDER BY visible_at, receive_count, sent_at, seq LIMIT $3",
                              queue.lot, call.now, limit)
                       .all(read_stored);
      const bool last = found.size() < limit;
      auto [chosen, discarded_any] = choose(std::move(found), most);
      if (last || !discarded_any || chosen.size() == most) return {mark_all(std::move(chosen))};
    }
    return {{}, true};
  }

  struct Choice {
    std::vector<Stored> chosen = {};
    bool discarded_any = false;
  };

  // The first `most` that may be delivered; it discards others before them.
  Choice choose(std::vector<Stored> found, std::size_t most) {
    Choice choice;
    for (Stored& stored : found) {
      if (choice.chosen.size() == most) break;
      if (discarded(stored)) {
        choice.discarded_any = true;
      } else {
        choice.chosen.push_back(std::move(stored));
      }
    }
    return choice;
  }

  Delivery take_in_order(std::size_t most) {
    std::vector<Stored> chosen;
    std::set<std::string> seen;
    bool more = false;
    for (int page = 0; page < kMaxGroupPages && chosen.size() < most; ++page) {
      auto groups = call.tx
                        .query("SELECT group_id FROM sqs_messages WHERE lot = $1 AND visible_at <= $2"
                               " ORDER BY visible_at, receive_count, sent_at, seq LIMIT $3 OFFSET $4",
                               queue.lot, call.now, kPage, static_cast<std::size_t>(page) * kPage)
                        .all([](const store::Row& row) { return row.str(0); });
      for (const std::string& group : groups) {
        if (chosen.size() >= most || !seen.insert(group).second) continue;
        more = !take_group(group, most - chosen.size(), chosen) || more;
      }
      if (groups.size() < kPage) break;
    }
    return {mark_all(std::move(chosen)), more};
  }

  // In order from the group's head to the first message that is in flight or delayed. A
  // head that became visible again is delivered although one behind it is in flight:
  // Amazon was observed to do that. False where it stopped among discarded messages.
  bool take_group(const std::string& group, std::size_t most, std::vector<Stored>& into) {
    for (int round = 0; round < kMaxRounds; ++round) {
      const std::size_t limit = round == 0 ? most : kPage;
      auto found = call.tx
                       .query(STORED_COLUMNS "WHERE lot = $1 AND group_id = $2 AND sequence IS NOT NULL"
                                             " ORDER BY sequence LIMIT $3",
                              queue.lot, group, limit)
                       .all(read_stored);
      const bool last = found.size() < limit;
      found.erase(std::find_if(found.begin(), found.end(), [&](const Stored& stored) { return held(stored); }),
                  found.end());
      auto [chosen, discarded_any] = choose(std::move(found), most);
      if (!last && discarded_any && chosen.size() < most) continue;
      std::move(chosen.begin(), chosen.end(), std::back_inserter(into));
      return true;
    }
    return false;
  }

  bool held(const Stored& stored) const {
    std::int64_t visible_at = stored.visible_at;
    if (visible_at == kBlocked) visible_at = base::to_millis(stored.message.sent_at) + queue.delay_s * 1000;
    return visible_at > base::to_millis(call.now);
  }

  std::vector<Delivered> mark_all(std::vector<Stored> chosen) {
    std::vector<Delivered> out;
    out.reserve(chosen.size());
    for (Stored& stored : chosen) out.push_back(mark(std::move(stored)));
    return out;
  }
};

}  // namespace

Delivery deliver(Call& call, const Queue& queue, std::size_t most, base::Duration visibility) {
  Receiver receiver(call, queue, visibility);
  return queue.fifo ? receiver.take_in_order(most) : receiver.take(most);
}

std::vector<Delivered> deliver_again(Call& call, const Queue& queue, const std::string& attempt_id,
                                     base::Duration visibility) {
  auto receipts = call.tx
                      .query("SELECT receipts FROM sqs_receive_attempts WHERE lot = $1 AND attempt_id = $2"
                             " AND at > $3",
                             queue.lot, attempt_id, call.now - kDeduplicationInterval)
                      .one([](const store::Row& row) { return row.str(0); });
  if (!receipts) return {};
  std::vector<Delivered> out;
  for (const char *at = receipts->data(), *end = at + receipts->size(); at < end; ++at) {
    std::int64_t seq = 0, token = 0;
    at = std::from_chars(at, end, seq).ptr + 1;
    at = std::from_chars(at, end, token).ptr;
    auto stored = load_stored(call.tx, seq);
    const bool in_flight = stored && stored->message.token == token && stored->visible_at > base::to_millis(call.now);
    if (!in_flight) return {};
    if (stored->large) stored->message.body = read_body(call.tx, seq);
    out.push_back(std::move(stored->message));
  }
  for (const Delivered& message : out) {
    call.tx.exec("UPDATE sqs_messages SET visible_at = $2 WHERE seq = $1", message.seq, call.now + visibility);
  }
  return out;
}

void remember_attempt(Call& call, const Queue& queue, const std::string& attempt_id,
                      const std::vector<Delivered>& messages) {
  std::string receipts;
  for (const Delivered& message : messages) {
    receipts += std::to_string(message.seq) + ":" + std::to_string(message.token) + ",";
  }
  call.tx.exec("INSERT INTO sqs_receive_attempts (lot, attempt_id, at, receipts) VALUES ($1, $2, $3, $4)"
               " ON CONFLICT (lot, attempt_id) DO UPDATE SET at = excluded.at, receipts = excluded.receipts",
               queue.lot, attempt_id, call.now, receipts);
}

std::optional<base::Time> next_visible(store::Tx& tx, const Queue& queue, base::Time now) {
  return tx.query("SELECT visible_at FROM sqs_messages WHERE lot = $1 AND visible_at > $2 AND visible_at < $3"
                  " ORDER BY visible_at LIMIT 1",
                  queue.lot, now, kBlocked)
      .one([](const store::Row& row) { return row.time(0); });
}

}  // namespace services::sqs
