// SPDX-License-Identifier: Apache-2.0
// Bytes of a session-manager-plugin: what is decoded must be encoded to the same message again, and its payloads are
// read without harm.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/hash.h"
#include "datachannel/inbox.h"
#include "datachannel/message.h"
#include "datachannel/payloads.h"

namespace {

using namespace datachannel;

void read_payload(std::string_view text) {
  (void)from_json<OpenDataChannelInput>(text);
  (void)from_json<AcknowledgeContent>(text);
  (void)from_json<HandshakeResponse>(text);
  (void)from_json<TerminalSize>(text);
  (void)from_json<ChannelClosed>(text);
  (void)from_json<HandshakeRequest>(text);
  (void)read_exit_code(text);
  (void)decode_flag(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  read_payload(bytes);
  // A digest that fits, so that the payload is reached.
  constexpr std::size_t kDigestAt = 80, kPayloadAt = 120;
  if (bytes.size() > kPayloadAt) bytes.replace(kDigestAt, 32, base::sha256(std::string_view(bytes).substr(kPayloadAt)));
  const auto message = decode(bytes);
  if (!message) return 0;
  const auto again = decode(encode(*message));
  CHECK(again && *again == *message) << "a message that did not come back";
  Inbox inbox;
  const auto arrival = inbox.put(*message);
  CHECK(inbox.take().has_value() == (message->sequence == 0)) << "taken out of order";
  CHECK(arrival != Inbox::Arrival::Repeated || message->sequence < 0) << "a new message counts as repeated";
  return 0;
}
