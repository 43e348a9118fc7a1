// SPDX-License-Identifier: Apache-2.0
// The client's side of a data channel, as session-manager-plugin plays it. No socket, no clock.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datachannel/inbox.h"
#include "datachannel/outbox.h"
#include "datachannel/payloads.h"

namespace cli {

class ExecChannel {
 public:
  static constexpr std::size_t kPieceBytes = 16 * 1024;  // of input

  // A new connection. Returns its first message, which is text.
  std::string open(const std::string& token);
  void disconnect() { outbox_.disconnect(); }

  void receive(std::string_view bytes, std::int64_t now_ms, datachannel::Steady now);
  // Output to print, in order. It is acknowledged once it is taken: take it when it can be written.
  struct Output {
    bool error = false;  // of the standard error
    std::string bytes;
  };
  std::optional<Output> take_output(std::int64_t now_ms);
  // Messages to send.
  std::vector<std::string> take(std::int64_t now_ms, datachannel::Steady now);
  std::optional<datachannel::Steady> next_due() const { return outbox_.next_due(); }

  // Input may be sent.
  bool accepts_input() const { return ready_ && outbox_.has_room(); }
  void send(datachannel::PayloadType type, std::string payload, std::int64_t now_ms, datachannel::Steady now);

  // The session is over; the text that the server gave as its reason, if any.
  const std::optional<std::string>& closed() const { return closed_; }
  const std::optional<int>& exit_code() const { return exit_code_; }

 private:
  void handle_handshake(const datachannel::Message& message);

  datachannel::Inbox inbox_;
  datachannel::Outbox outbox_{datachannel::kInput};
  std::vector<std::string> due_;
  std::optional<std::string> response_;  // to the handshake
  bool ready_ = false;
  std::optional<std::string> closed_;
  std::optional<int> exit_code_;
};

}  // namespace cli
