// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/delivery.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "services/sqs/fifo.h"
#include "services/sqs/lot.h"
#include "services/sqs/receipt.h"

namespace services::sqs {
namespace {

// How often one receive goes back for more after it met expired or dead messages,
// and how many pages of held FIFO groups it looks past.
constexpr int kMaxRounds = 50;
constexpr std::int64_t kGroupPage = 100;

struct Candidate {
  std::int64_t seq, receive_count;
  base::Time sent_at;
};

Candidate read_candidate(const store::Row& row) { return {row.integer(0), row.integer(1), row.time(2)}; }

// One receive's view of its queue.
struct Receiver {
  Call& call;
  const Queue& queue;
  base::Duration visibility;
  std::optional<Queue> dead_letters = {};

  Receiver(Call& c, const Queue& q, base::Duration v) : call(c), queue(q), visibility(v) {
    if (queue.dead_letter_arn) dead_letters = load_queue(call.tx, *parse_arn(*queue.dead_letter_arn));
  }

  // Takes it out of the way if it must not be delivered any more.
  bool discarded(const Candidate& candidate) {
    if (candidate.sent_at <= queue.expired_at(call.now)) {
      remove_message(call.tx, queue, candidate.seq);
      return true;
    }
    if (dead_letters && candidate.receive_count >= queue.max_receives) {
      bury_message(call, queue, *dead_letters, candidate.seq);
      return true;
    }
    return false;
  }

  Delivered mark(std::int64_t seq) {
    // Counted before delivery, not after: a worker that dies mid-read must still
    // move a message nearer the dead-letter queue.
    Delivered message;
    bool large = false;
    call.tx
        .query("UPDATE sqs_messages SET visible_at = $2, receive_count = receive_count + 1, receipt = $3,"
               " first_received_at = coalesce(first_received_at, $4) WHERE seq = $1"
               " RETURNING message_id, body, sender, sent_at, first_received_at, receive_count, attributes,"
               " trace_header, group_id, deduplication_id, source_arn, sequence, receipt",
               seq, call.now + visibility, new_token(call.now), call.now)
        .each([&](const store::Row& row) {
          message = read_delivered(seq, row);
          large = row.is_null(1);
        });
    if (large) message.body = read_body(call.tx, seq);
    return message;
  }

  static Delivered read_delivered(std::int64_t seq, const store::Row& row) {
    Delivered message;
    message.seq = seq;
    message.message_id = row.str(0);
    message.body = row.str(1);
    message.sender = row.str(2);
    message.sent_at = row.time(3);
    message.first_received_at = row.time(4);
    message.receive_count = row.integer(5);
    message.attributes = row.str(6);
    message.trace_header = row.maybe_str(7);
    message.group_id = row.maybe_str(8);
    message.deduplication_id = row.maybe_str(9);
    message.source_arn = row.maybe_str(10);
    message.sequence = row.maybe_integer(11);
    message.token = row.integer(12);
    return message;
  }

  std::vector<Delivered> take(std::size_t most) {
    std::vector<std::int64_t> chosen;
    for (int round = 0; round < kMaxRounds && chosen.size() < most; ++round) {
      auto found = call.tx
                       .query("SELECT seq, receive_count, sent_at FROM sqs_messages WHERE lot = $1 AND visible_at <= $2"
                              " ORDER BY visible_at, receive_count, sent_at, seq LIMIT $3",
                              queue.lot, call.now, most)
                       .all(read_candidate);
      // The chosen ones are still there to be found: only what is new counts.
      bool discarded_any = false;
      chosen.clear();
      for (const Candidate& candidate : found) {
        if (discarded(candidate)) {
          discarded_any = true;
        } else {
          chosen.push_back(candidate.seq);
        }
      }
      if (!discarded_any) break;
    }
    return mark_all(chosen);
  }

  std::vector<Delivered> take_in_order(std::size_t most) {
    std::vector<std::int64_t> chosen;
    std::set<std::string> seen;
    for (int page = 0; page < kMaxRounds && chosen.size() < most; ++page) {
      auto groups = call.tx
                        .query("SELECT group_id FROM sqs_messages WHERE lot = $1 AND visible_at <= $2"
                               " ORDER BY visible_at, receive_count, sent_at, seq LIMIT $3 OFFSET $4",
                               queue.lot, call.now, kGroupPage, page * kGroupPage)
                        .all([](const store::Row& row) { return row.str(0); });
      for (const std::string& group : groups) {
        if (chosen.size() >= most || !seen.insert(group).second) continue;
        auto more = take_group(group, most - chosen.size());
        chosen.insert(chosen.end(), more.begin(), more.end());
      }
      if (groups.size() < static_cast<std::size_t>(kGroupPage)) break;
    }
    return mark_all(chosen);
  }

  std::vector<std::int64_t> take_group(const std::string& group, std::size_t most) {
    for (int round = 0; round < kMaxRounds; ++round) {
      auto seqs = deliverable(call.tx, queue, group, call.now, most);
      const bool discarded_any = std::any_of(seqs.begin(), seqs.end(), [&](std::int64_t seq) {
        auto candidate = call.tx.query("SELECT seq, receive_count, sent_at FROM sqs_messages WHERE seq = $1", seq)
                             .one(read_candidate);
        return discarded(*candidate);
      });
      if (!discarded_any) return seqs;
    }
    return {};
  }

  std::vector<Delivered> mark_all(const std::vector<std::int64_t>& chosen) {
    std::vector<Delivered> out;
    out.reserve(chosen.size());
    for (std::int64_t seq : chosen) out.push_back(mark(seq));
    return out;
  }
};

}  // namespace

std::vector<Delivered> deliver(Call& call, const Queue& queue, std::size_t most, base::Duration visibility) {
  Receiver receiver(call, queue, visibility);
  return queue.fifo ? receiver.take_in_order(most) : receiver.take(most);
}

std::vector<Delivered> deliver_again(Call& call, const Queue& queue, const std::string& attempt_id,
                                     base::Duration visibility) {
  auto receipts = call.tx
                      .query("SELECT receipts FROM sqs_receive_attempts WHERE queue = $1 AND attempt_id = $2"
                             " AND at > $3",
                             queue.id, attempt_id, call.now - kDeduplicationInterval)
                      .one([](const store::Row& row) { return row.str(0); });
  if (!receipts) return {};
  std::vector<Delivered> out;
  for (const char *at = receipts->data(), *end = at + receipts->size(); at < end; ++at) {
    std::int64_t seq = 0, token = 0;
    at = std::from_chars(at, end, seq).ptr + 1;
    at = std::from_chars(at, end, token).ptr;
    auto message = call.tx
                       .query("UPDATE sqs_messages SET visible_at = $4 WHERE seq = $1 AND lot = $2 AND receipt = $3"
                              " AND visible_at > $5 RETURNING message_id, body, sender, sent_at, first_received_at,"
                              " receive_count, attributes, trace_header, group_id, deduplication_id, source_arn,"
                              " sequence, receipt",
                              seq, queue.lot, token, call.now + visibility, call.now)
                       .one([&](const store::Row& row) {
                         Delivered found = Receiver::read_delivered(seq, row);
                         return std::pair(std::move(found), row.is_null(1));
                       });
    if (!message) return {};
    if (message->second) message->first.body = read_body(call.tx, seq);
    out.push_back(std::move(message->first));
  }
  return out;
}

void remember_attempt(Call& call, const Queue& queue, const std::string& attempt_id,
                      const std::vector<Delivered>& messages) {
  std::string receipts;
  for (const Delivered& message : messages) {
    receipts += std::to_string(message.seq) + ":" + std::to_string(message.token) + ",";
  }
  call.tx.exec("INSERT INTO sqs_receive_attempts (queue, attempt_id, at, receipts) VALUES ($1, $2, $3, $4)"
               " ON CONFLICT (queue, attempt_id) DO UPDATE SET at = excluded.at, receipts = excluded.receipts",
               queue.id, attempt_id, call.now, receipts);
}

std::optional<base::Time> next_visible(store::Tx& tx, const Queue& queue, base::Time now) {
  return tx.query("SELECT visible_at FROM sqs_messages WHERE lot = $1 AND visible_at > $2 AND visible_at < $3"
                  " ORDER BY visible_at LIMIT 1",
                  queue.lot, now, kBlocked)
      .one([](const store::Row& row) { return row.time(0); });
}

}  // namespace services::sqs
