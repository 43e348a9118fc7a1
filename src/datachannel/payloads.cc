// SPDX-License-Identifier: Apache-2.0
#include "datachannel/payloads.h"

#include <charconv>

#include "base/random.h"
#include "base/time.h"
#include "wire/timestamp.h"

namespace datachannel {
namespace {

constexpr std::string_view kExitCode = "EXIT_CODE: ";

}  // namespace

std::string acknowledgement_of(const Message& message, std::int64_t now_ms) {
  const AcknowledgeContent content{message.type, message.id, message.sequence, true};
  Message answer;
  answer.type = kAcknowledge;
  answer.created_ms = now_ms;
  answer.flags = kSyn | kFin;
  answer.id = base::random_uuid();
  answer.payload = to_json(content);
  return encode(answer);
}

std::string channel_closed(const std::string& session_id, const std::string& output, std::int64_t now_ms) {
  Message message;
  message.type = kChannelClosed;
  message.created_ms = now_ms;
  message.flags = kSyn | kFin;
  message.id = base::random_uuid();
  const ChannelClosed content{std::string(kChannelClosed), message.id, session_id, session_id, 1,
                              wire::to_iso8601(base::from_millis(now_ms)), output};
  message.payload = to_json(content);
  return encode(message);
}

std::string exit_code_text(int code) { return std::string(kExitCode) + std::to_string(code); }

std::optional<int> read_exit_code(std::string_view text) {
  if (!text.starts_with(kExitCode)) return std::nullopt;
  text.remove_prefix(kExitCode.size());
  int code = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), code);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return code;
}

}  // namespace datachannel
