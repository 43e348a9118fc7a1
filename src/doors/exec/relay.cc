// SPDX-License-Identifier: Apache-2.0
#include "doors/exec/relay.h"

#include <algorithm>
#include <boost/describe/class.hpp>

#include "base/utf8.h"

namespace doors::exec {
using namespace datachannel;
using state::ExecStatus;

namespace {

// The plugin compares it only for port sessions.
constexpr char kAgentVersion[] = "3.3.0.0";
constexpr std::size_t kOurPieceBytes = 16 * 1024;  // our own client takes longer messages
constexpr std::size_t kMaxAcknowledgements = 4096;
constexpr std::size_t kMaxReasonBytes = 1024;
constexpr std::int32_t kMaxCells = 65535;

// What the agent reports at the end.
struct Ended {
  std::int32_t exitCode = 0;
  std::optional<std::string> reason;
};
BOOST_DESCRIBE_STRUCT(Ended, (), (exitCode, reason))

struct WindowSize {
  std::int32_t rows = 0, columns = 0;
};
BOOST_DESCRIBE_STRUCT(WindowSize, (), (rows, columns))

std::string handshake_request() {
  RequestedClientAction action;
  action.ActionType = "SessionType";
  action.ActionParameters.SessionType = "InteractiveCommands";
  HandshakeRequest request;
  request.AgentVersion = kAgentVersion;
  request.RequestedClientActions.push_back(std::move(action));
  return to_json(request);
}

// The plugin shows the exit code nowhere else.
std::string end_text(const Ended& ended, bool ours) {
  if (ended.reason && !ended.reason->empty()) return base::to_printable(ended.reason->substr(0, kMaxReasonBytes));
  if (ended.exitCode == 0 || ours) return "";
  return "The command ended with exit code " + std::to_string(ended.exitCode) + ".";
}

}  // namespace

Relay::Relay(RelaySpec spec, RelayTimes times, Steady now, LogBudget::Loan log_memory)
    : spec_(std::move(spec)), times_(times), began_(now), client_changed_(now), client_heard_(now), active_(now),
      handshake_at_(now), log_memory_(std::move(log_memory)) {}

void Relay::connect_client(Steady now) {
  client_connected_ = client_opened_ = true;
  client_changed_ = client_heard_ = now;
  if (handshake_ == Handshake::Requested) handshake_at_ = now;
  acknowledgements_.clear();  // what was not acknowledged comes again
  if (!outbox_.connect()) end("Too much output of the session was not acknowledged.", now);
}

void Relay::disconnect_client(Steady now) {
  client_connected_ = false;
  client_changed_ = now;
  outbox_.disconnect();
}

void Relay::from_client(Message message, std::int64_t now_ms, Steady now) {
  client_heard_ = now;
  if (message.type == kAcknowledge) {
    const auto content = from_json<AcknowledgeContent>(message.payload);
    if (content) outbox_.acknowledge(content->AcknowledgedMessageSequenceNumber, now);
    return;
  }
  if (message.type != kInput) return;
  active_ = now;
  // It does not wait until the command reads what came before.
  const auto flag = message.payload_type == PayloadType::Flag ? decode_flag(message.payload) : Flag::EndOfInput;
  if (flag && *flag == Flag::TerminateSession && phase_ == Phase::Open) hang_up_ = true;
  const std::string acknowledgement = acknowledgement_of(message, now_ms);
  if (inbox_.put(std::move(message)) == Inbox::Arrival::Repeated) {
    if (acknowledgements_.size() < kMaxAcknowledgements) acknowledgements_.push_back(acknowledgement);
    return;
  }
  accept_input(now_ms);
  if (!handshake_error_.empty()) end(handshake_error_, now, ExecStatus::Failed);
  if (hang_up_ && phase_ == Phase::Open) close("", ExecStatus::Terminated, now);  // the client wants that
}

// Input is acknowledged when there is room for it: a client that sends faster than the command reads waits for that.
void Relay::accept_input(std::int64_t now_ms) {
  while (input_bytes_ < kMaxInput) {
    const auto message = inbox_.take();
    if (!message) return;
    handle_input(*message);
    acknowledgements_.push_back(acknowledgement_of(*message, now_ms));
  }
}

void Relay::handle_input(const Message& message) {
  if (message.payload_type == PayloadType::HandshakeResponse) return handle_handshake(message);
  if (phase_ != Phase::Open) return;
  if (message.payload_type == PayloadType::Output) {
    if (!spec_.interactive) return;
    for (std::string_view rest = message.payload; !rest.empty(); rest.remove_prefix(std::min(rest.size(), kPieceBytes))) {
      send_to_agent('i', rest.substr(0, kPieceBytes));
    }
  } else if (message.payload_type == PayloadType::Size) {
    handle_size(message);
  } else if (message.payload_type == PayloadType::Flag) {
    const auto flag = decode_flag(message.payload);
    if (flag && *flag == Flag::EndOfInput) send_to_agent('z', "");
  }
}

void Relay::handle_handshake(const Message& message) {
  if (handshake_ != Handshake::Requested) return;
  const auto response = from_json<HandshakeResponse>(message.payload);
  const auto accepted = [](const ProcessedClientAction& action) {
    return action.ActionType == "SessionType" && action.ActionStatus == kActionSucceeded;
  };
  if (response && std::ranges::any_of(response->ProcessedClientActions, accepted)) {
    handshake_ = Handshake::Answered;
  } else {
    handshake_error_ = "The client does not support the session type InteractiveCommands.";
  }
}

void Relay::handle_size(const Message& message) {
  const auto size = from_json<TerminalSize>(message.payload);
  if (!size || size->cols < 1 || size->rows < 1 || size->cols > kMaxCells || size->rows > kMaxCells) return;
  size_ = to_json(WindowSize{size->rows, size->cols});
}

void Relay::send_to_agent(char type, std::string_view payload) {
  input_.push_back(type + std::string(payload));
  input_bytes_ += input_.back().size();
}

std::vector<std::string> Relay::take_for_client(std::int64_t now_ms, Steady now) {
  if (!client_connected_ || phase_ == Phase::Closed) return {};
  std::vector<std::string> out = std::exchange(acknowledgements_, {});
  for (std::string& bytes : outbox_.take_due(now)) out.push_back(std::move(bytes));
  if (handshake_ == Handshake::Due) {
    out.push_back(outbox_.add(PayloadType::HandshakeRequest, handshake_request(), now_ms, now));
    handshake_ = Handshake::Requested;
    handshake_at_ = now;
  }
  if (handshake_ == Handshake::Answered && outbox_.has_room()) {
    HandshakeComplete complete;
    complete.HandshakeTimeToComplete = std::chrono::nanoseconds(now - handshake_at_).count();
    out.push_back(outbox_.add(PayloadType::HandshakeComplete, to_json(complete), now_ms, now));
    handshake_ = Handshake::Done;
  }
  if (handshake_ == Handshake::Done) send_output(out, now_ms, now);
  if (phase_ == Phase::Closing && (flushed() || now >= flush_end())) {
    out.push_back(channel_closed(spec_.session, reason_, now_ms));
    phase_ = Phase::Closed;
  }
  return out;
}

void Relay::send_output(std::vector<std::string>& out, std::int64_t now_ms, Steady now) {
  const std::size_t longest = spec_.ours ? kOurPieceBytes : datachannel::kPieceBytes;
  while (!output_.empty() && outbox_.has_room()) {
    Output& first = output_.front();
    std::string piece = first.bytes.substr(0, longest);
    output_bytes_ -= piece.size();
    first.bytes.erase(0, piece.size());
    out.push_back(outbox_.add(first.type, std::move(piece), now_ms, now));
    if (first.bytes.empty()) output_.pop_front();
  }
  if (phase_ == Phase::Closing && output_.empty() && spec_.ours && exit_code_ && outbox_.has_room()) {
    out.push_back(outbox_.add(PayloadType::ExitCode, exit_code_text(*exit_code_), now_ms, now));
    exit_code_.reset();
  }
}

// A session that is ended from outside shows its reason at once.
bool Relay::flushed() const {
  const bool sent = handshake_ == Handshake::Done && output_.empty() && !(spec_.ours && exit_code_);
  return hang_up_ || (sent && outbox_.empty());
}

Steady Relay::flush_end() const { return client_heard_ + times_.flush; }

// When a session without a client ends. A client that was never there may still come as long as its token is valid.
Steady Relay::client_end() const {
  if (client_opened_) return client_changed_ + times_.resume;
  return phase_ == Phase::Closing ? client_changed_ + state::kExecTokenLife : active_ + times_.idle;
}

bool Relay::connect_agent() {
  if (std::exchange(agent_opened_, true)) return false;
  agent_connected_ = true;
  return true;
}

void Relay::disconnect_agent(const std::string& why, Steady now) {
  agent_connected_ = false;
  if (phase_ == Phase::Open) close(why, ExecStatus::Failed, now);
}

bool Relay::accepts_output() const { return output_bytes_ < kMaxOutput; }

void Relay::from_agent(std::string_view message, Steady now) {
  if (message.empty() || phase_ != Phase::Open) return;
  const char type = message.front();
  message.remove_prefix(1);
  if (type == 'o' || type == 'e') {
    active_ = now;
    const bool apart = type == 'e' && spec_.ours && !spec_.tty;
    add_output(apart ? PayloadType::StdErr : PayloadType::Output, message);
  } else if (type == 'x') {
    command_ended(message, now);
  }
}

void Relay::add_output(PayloadType type, std::string_view bytes) {
  if (bytes.empty()) return;  // an empty payload can't be written
  if (spec_.logged) add_to_log(bytes);
  output_bytes_ += bytes.size();
  if (!output_.empty() && output_.back().type == type && output_.back().bytes.size() < kPieceBytes) {
    output_.back().bytes += bytes;
  } else {
    output_.push_back({type, std::string(bytes)});
  }
}

// Keeps the beginning without gaps: what follows the first piece that had no room is left out.
void Relay::add_to_log(std::string_view bytes) {
  if (log_cut_) return;
  const std::size_t room = log_memory_.take(std::min(bytes.size(), kMaxLog - log_.size()));
  log_ += bytes.substr(0, room);
  log_cut_ = room < bytes.size();
}

void Relay::command_ended(std::string_view json, Steady now) {
  const auto ended = datachannel::from_json<Ended>(json);
  if (!ended) return close("The agent reported an end that can't be read.", ExecStatus::Failed, now);
  exit_code_ = ended->exitCode;
  close(end_text(*ended, spec_.ours), ExecStatus::Terminated, now);
}

std::optional<std::string> Relay::take_for_agent(std::int64_t now_ms) {
  if (hang_up_) {
    input_.clear();
    input_bytes_ = 0;
    return std::exchange(hang_up_sent_, true) ? std::nullopt : std::optional<std::string>("k");
  }
  if (size_) {
    std::string message = "w" + *size_;
    size_.reset();
    return message;
  }
  if (input_.empty()) return std::nullopt;
  std::string message = std::move(input_.front());
  input_.pop_front();
  input_bytes_ -= message.size();
  accept_input(now_ms);
  return message;
}

bool Relay::take_hang_up() { return hangs_up() && !std::exchange(hang_up_taken_, true); }

void Relay::end(const std::string& reason, Steady now, ExecStatus status) {
  hang_up_ = true;
  if (phase_ == Phase::Open) close(reason, status, now);
}

void Relay::close(const std::string& reason, ExecStatus status, Steady now) {
  phase_ = Phase::Closing;
  reason_ = reason;
  status_ = status;
  client_heard_ = now;
  if (!client_opened_) client_changed_ = now;
}

void Relay::tick(Steady now) {
  if (phase_ == Phase::Closed) return;
  if (!client_connected_ && now >= client_end()) {
    end("No client was connected.", now);
    phase_ = Phase::Closed;
    return;
  }
  if (phase_ == Phase::Closing) return;
  if (!agent_connected_ && now >= began_ + times_.agent) {
    end("The agent of the machine did not open the session in time.", now, ExecStatus::Failed);
  } else if (now >= active_ + times_.idle) {
    end("Your session timed out due to inactivity and has been terminated.", now);
  } else if (times_.longest && now >= began_ + *times_.longest) {
    end("Your session reached its maximum duration and has been terminated.", now);
  } else if (client_connected_ && handshake_ == Handshake::Requested && now >= handshake_at_ + times_.handshake) {
    end("Handshake timed out. Please ensure that you have the latest version of the session manager plugin.", now,
        ExecStatus::Failed);
  }
}

Steady Relay::next_tick() const {
  if (phase_ == Phase::Closed) return Steady::max();
  Steady next = client_connected_ ? Steady::max() : client_end();
  if (phase_ == Phase::Closing) return next;
  if (client_connected_ && handshake_ == Handshake::Requested) next = handshake_at_ + times_.handshake;
  if (!agent_connected_) next = std::min(next, began_ + times_.agent);
  next = std::min(next, active_ + times_.idle);
  if (times_.longest) next = std::min(next, began_ + *times_.longest);
  return next;
}

Steady Relay::next_for_client() const {
  Steady next = next_tick();
  if (const auto due = outbox_.next_due()) next = std::min(next, *due);
  if (phase_ == Phase::Closing) next = std::min(next, flush_end());
  return next;
}

std::string Relay::take_log() { return std::exchange(log_, {}); }

}  // namespace doors::exec
