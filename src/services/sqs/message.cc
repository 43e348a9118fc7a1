// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/message.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/random.h"
#include "services/sqs/fifo.h"
#include "services/sqs/lot.h"

namespace services::sqs {
namespace {

// Bodies above this go to a table of their own.
constexpr std::size_t kInlineBodyBytes = 2048;

enum Transport : char { kString = 1, kBinary = 2 };

void append_sized(std::string& out, std::string_view bytes) {
  auto size = static_cast<std::uint32_t>(bytes.size());
  for (int shift : {24, 16, 8, 0}) out += static_cast<char>(size >> shift);
  out += bytes;
}

std::string_view take(std::string_view& bytes, std::size_t count) {
  CHECK(bytes.size() >= count) << "message attributes end early";
  std::string_view taken = bytes.substr(0, count);
  bytes.remove_prefix(count);
  return taken;
}

std::string_view take_sized(std::string_view& bytes) {
  std::uint32_t size = 0;
  for (unsigned char c : take(bytes, 4)) size = size << 8 | c;
  return take(bytes, size);
}

std::int64_t insert_row(Call& call, const Queue& queue, const Draft& draft, const Sent& sent, std::int64_t visible_at) {
  const bool large = draft.body.size() > kInlineBodyBytes;
  std::optional<std::string_view> body;
  if (!large) body = draft.body;
  store::Param attributes;
  if (!draft.attributes.empty()) attributes = store::BlobView{draft.attributes};
  const store::Param params[] = {queue.lot,
                                 visible_at,
                                 store::to_param(call.now),
                                 sent.message_id,
                                 call.caller.account,
                                 store::to_param(body),
                                 attributes,
                                 store::to_param(draft.trace_header),
                                 store::to_param(draft.group_id),
                                 store::to_param(draft.deduplication_id),
                                 store::to_param(sent.sequence)};
  std::int64_t seq = 0;
  call.tx.run(
      "INSERT INTO sqs_messages (lot, visible_at, receive_count, sent_at, receipt, message_id, sender, body,"
      " attributes, trace_header, group_id, deduplication_id, sequence)"
      " VALUES ($1, $2, 0, $3, 0, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING seq",
      params, [&](const store::Row& row) { seq = row.integer(0); });
  if (large) call.tx.exec("INSERT INTO sqs_large_bodies (seq, body) VALUES ($1, $2)", seq, draft.body);
  return seq;
}

std::optional<std::string> group_of(store::Tx& tx, std::int64_t seq) {
  auto group = tx.query("SELECT group_id FROM sqs_messages WHERE seq = $1", seq).one([](const store::Row& row) {
    return row.maybe_str(0);
  });
  return group ? *group : std::nullopt;
}

}  // namespace

Sent put_message(Call& call, const Queue& queue, const Draft& draft) {
  Sent sent{base::random_uuid(), std::nullopt};
  std::int64_t visible_at = base::to_millis(call.now) + draft.delay_ms;
  if (queue.fifo) {
    if (auto first = find_duplicate(call, queue, draft)) return *first;
    sent.sequence = next_sequence(call.tx, queue);
    remember(call, queue, draft, sent);
    if (group_has_messages(call.tx, queue, *draft.group_id)) visible_at = kBlocked;
  }
  insert_row(call, queue, draft, sent, visible_at);
  call.wake(queue.topic());
  return sent;
}

std::string read_body(store::Tx& tx, std::int64_t seq) {
  auto body = tx.query("SELECT body FROM sqs_large_bodies WHERE seq = $1", seq).one([](const store::Row& row) {
    return row.str(0);
  });
  CHECK(body) << "message " << seq << " has no body";
  return std::move(*body);
}

void erase_message(store::Tx& tx, std::int64_t seq) {
  auto large = tx.query("DELETE FROM sqs_messages WHERE seq = $1 RETURNING body IS NULL", seq)
                   .one([](const store::Row& row) { return row.boolean(0); });
  if (large.value_or(false)) tx.exec("DELETE FROM sqs_large_bodies WHERE seq = $1", seq);
}

void remove_message(store::Tx& tx, const Queue& queue, std::int64_t seq) {
  std::optional<std::string> group;
  if (queue.fifo) group = group_of(tx, seq);
  erase_message(tx, seq);
  if (group) promote_head(tx, queue, *group);
}

void bury_message(Call& call, const Queue& from, const Queue& to, std::int64_t seq) {
  if (!to.fifo) {
    call.tx.exec("UPDATE sqs_messages SET lot = $2, visible_at = $3, source_arn = $4, receive_count = 0 WHERE seq = $1", seq, to.lot,
                 call.now, from.arn());
  } else {
    const std::string group = *group_of(call.tx, seq);
    const bool blocked = group_has_messages(call.tx, to, group);
    // Amazon: a FIFO message's retention starts again in the dead-letter queue.
    call.tx.exec("UPDATE sqs_messages SET lot = $2, visible_at = $3, source_arn = $4, sequence = $5, sent_at = $6,"
                 " receive_count = 0 WHERE seq = $1",
                 seq, to.lot, blocked ? kBlocked : base::to_millis(call.now), from.arn(), next_sequence(call.tx, to),
                 call.now);
    promote_head(call.tx, from, group);
  }
  call.wake(to.topic());
}

void revive_message(Call& call, const Queue& from, const Queue& to, std::int64_t seq) {
  std::optional<std::string> group;
  std::optional<std::int64_t> sequence;
  std::int64_t visible_at = base::to_millis(call.now);
  if (to.fifo) {
    group = group_of(call.tx, seq);
    if (group_has_messages(call.tx, to, *group)) visible_at = kBlocked;
    sequence = next_sequence(call.tx, to);
  }
  call.tx.exec("UPDATE sqs_messages SET lot = $2, visible_at = $3, sequence = $4, sent_at = $5, message_id = $6,"
               " receive_count = 0, first_received_at = NULL, source_arn = NULL, receipt = 0 WHERE seq = $1",
               seq, to.lot, visible_at, sequence, call.now, base::random_uuid());
  if (group) promote_head(call.tx, from, *group);
  call.wake(to.topic());
}

std::string encode_attributes(const MessageAttributes& attributes) {
  std::string out;
  for (const auto& [name, value] : attributes) {
    append_sized(out, name);
    append_sized(out, value.DataType);
    out += value.BinaryValue ? kBinary : kString;
    append_sized(out, value.BinaryValue ? value.BinaryValue->bytes : value.StringValue.value_or(""));
  }
  return out;
}

MessageAttributes decode_attributes(std::string_view bytes) {
  MessageAttributes attributes;
  while (!bytes.empty()) {
    auto& value = attributes[std::string(take_sized(bytes))];
    value.DataType = take_sized(bytes);
    if (take(bytes, 1)[0] == kBinary) {
      value.BinaryValue = base::Blob{std::string(take_sized(bytes))};
    } else {
      value.StringValue = take_sized(bytes);
    }
  }
  return attributes;
}

std::string sequence_number(std::int64_t sequence) {
  constexpr std::uint64_t kFirst = 18000000000000000000ULL;
  return fmt::format("{}", kFirst + static_cast<std::uint64_t>(sequence));
}

}  // namespace services::sqs
