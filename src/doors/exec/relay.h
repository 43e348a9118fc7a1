// SPDX-License-Identifier: Apache-2.0
// One session of Exec: what its client and its agent send each other, and when it ends. No socket, no clock: callers
// pass on what arrives, and send what they take.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datachannel/inbox.h"
#include "datachannel/outbox.h"
#include "datachannel/payloads.h"
#include "doors/exec/log_budget.h"
#include "state/exec_session.h"

namespace doors::exec {

using datachannel::Steady;

struct RelayTimes {
  // Without input and output. Amazon's is 20 minutes.
  base::Duration idle = std::chrono::minutes(20);
  std::optional<base::Duration> longest = {};  // of a whole session; Amazon has no limit
  // A session whose client is gone can be resumed for so long.
  base::Duration resume = std::chrono::minutes(1);
  // For the agent to open its stream, and for the client to answer the handshake.
  base::Duration agent = std::chrono::seconds(30), handshake = std::chrono::seconds(15);
  // After the end of the command, for the client to acknowledge something: its output may go to a pager.
  base::Duration flush = std::chrono::minutes(20);
  // For a client to show its token.
  base::Duration token = std::chrono::seconds(15);
};

struct RelaySpec {
  std::string session = {};
  bool ours = false;  // the client is `stoker`: separate streams, and the exit code
  bool interactive = true, tty = true;
  bool logged = false;  // the output is also kept for take_log()
};

class Relay {
 public:
  // Output that waits for the client, and input that waits for the agent. With more, the other side is not read.
  static constexpr std::size_t kMaxOutput = 256 * 1024, kMaxInput = 256 * 1024;
  // Output that is kept for the log of the session; what follows is left out of it.
  static constexpr std::size_t kMaxLog = 8 * 1024 * 1024;
  static constexpr std::size_t kPieceBytes = 32 * 1024;  // of a message between agent and server

  // The log takes its memory from the loan.
  Relay(RelaySpec spec, RelayTimes times, Steady now, LogBudget::Loan log_memory = {});

  // The client. A new connection replaces the one before.
  void connect_client(Steady now);
  void disconnect_client(Steady now);
  bool client_connected() const { return client_connected_; }
  void from_client(datachannel::Message message, std::int64_t now_ms, Steady now);
  // Whole messages, in order.
  std::vector<std::string> take_for_client(std::int64_t now_ms, Steady now);

  // The agent: messages whose first byte is their type.
  // It has one stream in all: false for another.
  bool connect_agent();
  void disconnect_agent(const std::string& why, Steady now);
  bool accepts_output() const;
  void from_agent(std::string_view message, Steady now);
  std::optional<std::string> take_for_agent(std::int64_t now_ms);

  // True once, after the session was ended from outside: the agent is to be notified beside the stream, which may be
  // stuck behind input.
  bool take_hang_up();
  bool hangs_up() const { return hang_up_ && agent_connected_ && !hang_up_taken_; }  // that is due

  // Ends the session for a reason that its client is shown: the agent hangs up on the command.
  void end(const std::string& reason, Steady now, state::ExecStatus status = state::ExecStatus::Terminated);
  // Ends it where a time has passed.
  void tick(Steady now);
  Steady next_tick() const;
  // When take_for_client() has something to send again, or to give up; with the ticks.
  Steady next_for_client() const;

  // The command runs no more, and the client has everything, or is given up.
  bool over() const { return phase_ == Phase::Closed; }
  // The agent has nothing more to do.
  bool command_ended() const { return phase_ != Phase::Open; }
  const std::string& reason() const { return reason_; }
  state::ExecStatus status() const { return status_; }

  // All of its output, up to kMaxLog, and as far as there was memory for it.
  std::string take_log();
  // Whether there was more.
  bool log_is_cut() const { return log_cut_; }

 private:
  enum class Phase { Open, Closing, Closed };
  enum class Handshake { Due, Requested, Answered, Done };
  struct Output {
    datachannel::PayloadType type = datachannel::PayloadType::Output;
    std::string bytes;
  };

  void accept_input(std::int64_t now_ms);
  void handle_input(const datachannel::Message& message);
  void handle_handshake(const datachannel::Message& message);
  void handle_size(const datachannel::Message& message);
  void send_to_agent(char type, std::string_view payload);
  void add_output(datachannel::PayloadType type, std::string_view bytes);
  void add_to_log(std::string_view bytes);
  void command_ended(std::string_view json, Steady now);
  void close(const std::string& reason, state::ExecStatus status, Steady now);
  void send_output(std::vector<std::string>& out, std::int64_t now_ms, Steady now);
  bool flushed() const;
  Steady flush_end() const;
  Steady client_end() const;

  const RelaySpec spec_;
  const RelayTimes times_;
  const Steady began_;
  Phase phase_ = Phase::Open;
  std::string reason_;
  state::ExecStatus status_ = state::ExecStatus::Terminated;
  std::optional<int> exit_code_;

  bool client_connected_ = false, client_opened_ = false;
  Steady client_changed_;  // connected or disconnected
  Steady client_heard_;
  Steady active_;  // the last input or output
  Handshake handshake_ = Handshake::Due;
  Steady handshake_at_;
  std::string handshake_error_;
  datachannel::Outbox outbox_{datachannel::kOutput};
  datachannel::Inbox inbox_;
  std::vector<std::string> acknowledgements_;
  std::deque<Output> output_;
  std::size_t output_bytes_ = 0;

  bool agent_connected_ = false, agent_opened_ = false;
  std::deque<std::string> input_;  // messages for the agent
  std::size_t input_bytes_ = 0;
  std::optional<std::string> size_;  // the last one; earlier ones do not matter
  bool hang_up_ = false, hang_up_sent_ = false, hang_up_taken_ = false;
  std::string log_;
  LogBudget::Loan log_memory_;
  bool log_cut_ = false;
};

}  // namespace doors::exec
