// SPDX-License-Identifier: Apache-2.0
#include "services/logs/writer_cursor.h"

#include <algorithm>

#include "wire/error.h"

namespace services::logs {
namespace {

constexpr std::string_view kWriterPrefix = "stoker/1 ";

bool is_cursor(std::string_view text) {
  return text.size() <= kMaxWriterCursor && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

std::optional<WriterToken> parse_writer_token(const std::optional<std::string>& sequence_token) {
  if (!sequence_token || !sequence_token->starts_with(kWriterPrefix)) return std::nullopt;
  const std::string_view cursors = std::string_view(*sequence_token).substr(kWriterPrefix.size());
  const std::size_t space = cursors.find(' ');
  if (space == cursors.npos) return std::nullopt;
  const std::string_view from = cursors.substr(0, space), to = cursors.substr(space + 1);
  if (!is_cursor(from) || !is_cursor(to) || to.empty()) return std::nullopt;
  return WriterToken{std::string(from), std::string(to)};
}

void move_writer_cursor(Call& call, const Group& group, const Stream& stream, const WriterToken& token) {
  const std::string cursor =
      call.tx.query("SELECT COALESCE(writer_cursor, '') FROM logs_streams WHERE group_id = $1 AND number = $2", group.id,
                    stream.number)
          .one([](const store::Row& row) { return row.str(0); })
          .value_or("");
  if (!cursor.empty() && cursor != token.from) {
    // Amazon's words, from the time when it checked sequence tokens.
    throw wire::ApiError("InvalidSequenceTokenException",
                         "The given sequenceToken is invalid. The next expected sequenceToken is: " + cursor)
        .with("expectedSequenceToken", cursor);
  }
  call.tx.exec("UPDATE logs_streams SET writer_cursor = $3 WHERE group_id = $1 AND number = $2", group.id,
               stream.number, token.to);
}

}  // namespace services::logs
