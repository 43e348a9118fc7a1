// SPDX-License-Identifier: Apache-2.0
// An extension for agents: a batch that is stored once, however often it is sent. Its sequenceToken, which
// Amazon ignores, is "stoker/1 FROM TO": the batch is stored only if the stream's cursor is FROM or absent, and moves
// the cursor to TO in the same transaction. Otherwise InvalidSequenceTokenException names the cursor, at which the
// agent continues. Cursors have a meaning for agents only.
#pragma once

#include <optional>
#include <string>

#include "services/logs/group.h"

namespace services::logs {

inline constexpr std::size_t kMaxWriterCursor = 512;

struct WriterToken {
  std::string from, to;
};

// Nothing for any other token: it is ignored.
std::optional<WriterToken> parse_writer_token(const std::optional<std::string>& sequence_token);

void move_writer_cursor(Call& call, const Group& group, const Stream& stream, const WriterToken& token);

}  // namespace services::logs
