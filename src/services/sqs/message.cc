// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/message.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/random.h"
#include "services/sqs/activity.h"
#include "services/sqs/errors.h"
#include "services/sqs/fifo.h"
#include "services/sqs/lot.h"

namespace services::sqs {
namespace {

// Larger bodies are stored in a table of their own.
constexpr std::size_t kInlineBodyBytes = 2048;

bool is_large(const Draft& draft) { return draft.body.size() > kInlineBodyBytes; }

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

struct NewRow {
  const Draft& draft;
  Sent sent;
  std::int64_t visible_at;
};

constexpr std::size_t kColumns = 12;
constexpr std::size_t kMaxRows = 10;  // a batch's

// "INSERT ... VALUES ($1, ..., $12), ($13, ..." for so many rows. One statement for a
// batch costs two thirds of a statement for each message.
std::string insert_statement(std::size_t rows) {
  std::string sql =
      "INSERT INTO sqs_messages (lot, visible_at, receive_count, sent_at, receipt, message_id, sender, body,"
      " attributes, trace_header, group_id, deduplication_id, sequence, size) VALUES ";
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t first = row * kColumns;
    sql += fmt::format("{}(${}, ${}, 0, ${}, 0", row ? ", " : "", first + 1, first + 2, first + 3);
    for (std::size_t column = 4; column <= kColumns; ++column) sql += fmt::format(", ${}", first + column);
    sql += ")";
  }
  return sql;
}

const std::string& insert_statement_for(std::size_t rows) {
  static const std::vector<std::string> statements = [] {
    std::vector<std::string> made;
    for (std::size_t n = 0; n <= kMaxRows; ++n) made.push_back(insert_statement(n));
    return made;
  }();
  CHECK(rows >= 1 && rows <= kMaxRows) << rows << " rows in one statement";
  return statements[rows];
}

void add_params(std::vector<store::Param>& params, const Call& call, const Queue& queue, const NewRow& row) {
  const Draft& draft = row.draft;
  params.push_back(queue.lot);
  params.push_back(row.visible_at);
  params.push_back(store::to_param(call.now));
  params.push_back(row.sent.message_id);
  params.push_back(call.caller.account);
  params.push_back(is_large(draft) ? store::Param{} : store::Param{draft.body});
  params.push_back(draft.attributes.empty() ? store::Param{} : store::Param{store::BlobView{draft.attributes}});
  const std::string& trace = call.caller.trace;
  params.push_back(draft.trace_header || trace.empty() ? store::to_param(draft.trace_header) : store::Param{trace});
  params.push_back(store::to_param(draft.group_id));
  params.push_back(store::to_param(draft.deduplication_id));
  params.push_back(store::to_param(row.sent.sequence));
  params.push_back(store::to_param(draft.size_bytes));
}

void insert_rows(Call& call, const Queue& queue, std::span<const NewRow> rows) {
  std::vector<store::Param> params;
  params.reserve(rows.size() * kColumns);
  for (const NewRow& row : rows) add_params(params, call, queue, row);
  call.tx.run(insert_statement_for(rows.size()), params, nullptr);
}

void insert_large_row(Call& call, const Queue& queue, const NewRow& row) {
  static const std::string statement = insert_statement(1) + " RETURNING seq";
  std::vector<store::Param> params;
  add_params(params, call, queue, row);
  std::int64_t seq = 0;
  call.tx.run(statement, params, [&](const store::Row& found) { seq = found.integer(0); });
  call.tx.exec("INSERT INTO sqs_large_bodies (seq, body) VALUES ($1, $2)", seq, row.draft.body);
}

Sent put_in_order(Call& call, const Queue& queue, const Draft& draft) {
  if (auto first = find_duplicate(call, queue, draft)) return *first;
  const Usage gain{.bytes = static_cast<std::int64_t>(draft.size_bytes)};
  check_quota(call, queue.account, gain);
  add_usage(call.tx, queue.account, gain);
  NewRow row{draft, {base::random_uuid(), next_sequence(call.tx, queue)}, base::to_millis(call.now) + draft.delay_ms};
  remember(call, queue, draft, row.sent);
  if (group_has_messages(call.tx, queue, *draft.group_id)) row.visible_at = kBlocked;
  if (is_large(draft)) {
    insert_large_row(call, queue, row);
  } else {
    insert_rows(call, queue, {&row, 1});
  }
  return row.sent;
}

}  // namespace

std::vector<Sent> put_messages(Call& call, const Queue& queue, std::span<const Draft> drafts) {
  std::vector<Sent> sent;
  std::vector<NewRow> rows;
  Usage gain;
  for (const Draft& draft : drafts) {
    if (!queue.fifo) gain.bytes += static_cast<std::int64_t>(draft.size_bytes);
  }
  check_quota(call, queue.account, gain);
  add_usage(call.tx, queue.account, gain);
  for (const Draft& draft : drafts) {
    if (queue.fifo) {
      sent.push_back(put_in_order(call, queue, draft));
      continue;
    }
    NewRow row{draft, {base::random_uuid(), std::nullopt}, base::to_millis(call.now) + draft.delay_ms};
    sent.push_back(row.sent);
    if (is_large(draft)) {
      insert_large_row(call, queue, row);
    } else {
      rows.push_back(std::move(row));
    }
  }
  if (!rows.empty()) insert_rows(call, queue, rows);
  if (sent.empty()) return sent;
  call.wake(queue.topic(), sent.size());
  QueueEvents events;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    events.deduplicated += sent[i].duplicate;
    if (!sent[i].duplicate) events.sent_sizes.push_back(static_cast<std::int64_t>(drafts[i].size_bytes));
  }
  note(call, queue, std::move(events));
  return sent;
}

std::optional<std::string> group_of(store::Tx& tx, std::int64_t seq) {
  auto group = tx.query("SELECT group_id FROM sqs_messages WHERE seq = $1", seq).one([](const store::Row& row) {
    return row.maybe_str(0);
  });
  return group ? *group : std::nullopt;
}

std::string read_body(store::Tx& tx, std::int64_t seq) {
  auto body = tx.query("SELECT body FROM sqs_large_bodies WHERE seq = $1", seq).one([](const store::Row& row) {
    return row.str(0);
  });
  CHECK(body) << "message " << seq << " has no body";
  return std::move(*body);
}

std::int64_t erase_message(store::Tx& tx, std::int64_t seq, bool large) {
  const std::int64_t size = tx.query("DELETE FROM sqs_messages WHERE seq = $1 RETURNING size", seq).integer();
  if (large) tx.exec("DELETE FROM sqs_large_bodies WHERE seq = $1", seq);
  return size;
}

std::int64_t remove_message(store::Tx& tx, const Queue& queue, std::int64_t seq, bool large) {
  std::optional<std::string> group;
  if (queue.fifo) group = group_of(tx, seq);
  const std::int64_t size = erase_message(tx, seq, large);
  if (group) promote_head(tx, queue, *group);
  return size;
}

void bury_message(Call& call, const Queue& from, const Queue& to, std::int64_t seq) {
  if (!to.fifo) {
    call.tx.exec("UPDATE sqs_messages SET lot = $2, visible_at = $3, source_arn = $4,"
                 " former_receives = former_receives + receive_count, receive_count = 0 WHERE seq = $1",
                 seq, to.lot, call.now, from.arn());
  } else {
    const std::string group = *group_of(call.tx, seq);
    const bool blocked = group_has_messages(call.tx, to, group);
    // Amazon: a FIFO message's retention starts again in the dead-letter queue.
    call.tx.exec("UPDATE sqs_messages SET lot = $2, visible_at = $3, source_arn = $4, sequence = $5, sent_at = $6,"
                 " former_receives = former_receives + receive_count, receive_count = 0 WHERE seq = $1",
                 seq, to.lot, blocked ? kBlocked : base::to_millis(call.now), from.arn(), next_sequence(call.tx, to),
                 call.now);
    promote_head(call.tx, from, group);
  }
  call.wake(to.topic(), 1);
  note(call, to);
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
               " receive_count = 0, former_receives = 0, first_received_at = NULL, source_arn = NULL, receipt = 0 WHERE seq = $1",
               seq, to.lot, visible_at, sequence, call.now, base::random_uuid());
  if (group) promote_head(call.tx, from, *group);
  call.wake(to.topic(), 1);
  note(call, from);
  note(call, to);
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
