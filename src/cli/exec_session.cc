// SPDX-License-Identifier: Apache-2.0
#include "cli/exec_session.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "cli/exec_channel.h"
#include "cli/exec_connection.h"
#include "cli/usage_error.h"
#include "shapes/ecs/execute_command.h"
#include "shapes/ssm/errors.h"
#include "shapes/ssm/session.h"

namespace cli {
namespace {

using namespace datachannel;
using namespace std::chrono_literals;

constexpr auto kResumeFor = 60s;       // the server gives a session up then
constexpr auto kResumeEvery = 500ms;
constexpr auto kGoodbye = 3s;          // for the server to confirm the end
// A pipe that is ready has room for this much.
constexpr std::size_t kWriteBytes = 4096;
constexpr char kCtrlP = 0x10, kCtrlQ = 0x11;

constexpr wire::Service kSsm{.name = "ssm", .target_prefix = "AmazonSSM", .api_version = "2014-11-06",
                         .errors = shapes::ssm::kErrors};

Steady steady_now() { return std::chrono::steady_clock::now(); }
std::int64_t now_ms() { return base::to_millis(base::SystemClock().now()); }

class ExecRun {
 public:
  ExecRun(ClusterClient& client, const SessionOptions& options, const SessionSignals& signals)
      : client_(client), options_(options), signals_(signals),
        reads_input_(options.request.interactive.value_or(false)) {}

  SessionEnd run() {
    open();
    while (!over_) {
      step();
      if (goodbye_ && steady_now() >= *goodbye_) break;
    }
    if (goodbye_ && !channel_.closed()) terminate();
    const bool exited = !signal_ && !goodbye_ && failure_.empty() && channel_.exit_code().has_value();
    return {.status = result(), .left = goodbye_.has_value(), .exited = exited, .printed = printed_};
  }

 private:
  void open() {
    const auto answer = client_.call<shapes::ecs::ExecuteCommandResponse>("StokerExec", options_.request);
    id_ = *answer.session->sessionId;
    connect(*answer.session->streamUrl, *answer.session->tokenValue);
  }

  void connect(const std::string& url, const std::string& token) {
    connection_ = std::make_unique<ExecConnection>(client_.profile(), url, channel_.open(token));
    lost_at_.reset();
  }

  // One round: what has arrived, what is to be sent, and a wait for more.
  void step() {
    receive();
    if (over_) return;
    if (connection_ && connection_->lost()) {
      connection_.reset();
      channel_.disconnect();
      lost_at_ = steady_now();
      resume_at_ = steady_now();
    }
    if (!connection_ && steady_now() >= resume_at_) resume();
    if (over_) return;
    send_size();
    if (connection_) {
      for (std::string& bytes : channel_.take(now_ms(), steady_now())) connection_->send(std::move(bytes));
    }
    wait();
  }

  void receive() {
    while (connection_ && !channel_.closed()) {
      const auto bytes = connection_->take();
      if (!bytes) break;
      channel_.receive(*bytes, now_ms(), steady_now());
    }
    while (pending_.bytes.empty()) {
      auto output = channel_.take_output(now_ms());
      if (!output) break;
      if (!output_closed_) pending_ = std::move(*output);
    }
    if (channel_.closed() && pending_.bytes.empty()) over_ = true;
  }

  template <class Output, class Input>
  Output call_ssm(std::string_view operation, const Input& input) {
    client::Client ssm(client_.profile());
    return ssm.call<Output>(client::Target{kSsm, "ssm", wire::Protocol::Json11}, operation, input);
  }

  // The server keeps a session whose client is gone for a minute.
  void resume() {
    resume_at_ = steady_now() + kResumeEvery;
    try {
      const auto answer =
          call_ssm<shapes::ssm::ResumeSessionResponse>("ResumeSession", shapes::ssm::ResumeSessionRequest{id_});
      if (answer.TokenValue) return connect(*answer.StreamUrl, *answer.TokenValue);
      fail("the session has ended: the server was restarted, or the connection was lost for too long");
    } catch (const wire::ApiError& error) {
      fail(error.message());
    } catch (const std::runtime_error& error) {
      if (steady_now() >= *lost_at_ + kResumeFor) fail(error.what());
    }
  }

  void fail(const std::string& why) {
    over_ = true;
    failure_ = why;
  }

  void send_size() {
    if (!resized_ || !options_.request.tty.value_or(false) || !channel_.accepts_input()) return;
    resized_ = false;
    channel_.send(PayloadType::Size, datachannel::to_json(terminal_size(options_.streams.input)), now_ms(), steady_now());
  }

  void wait() {
    std::array<pollfd, 4> all{};
    all[0] = {signals_.descriptor(), POLLIN, 0};
    all[1] = {connection_ ? connection_->event() : -1, POLLIN, 0};
    const bool input = reads_input_ && !goodbye_ && channel_.accepts_input();
    all[2] = {input ? options_.streams.input : -1, POLLIN, 0};
    // Without events it still reports a pipe that has lost its reader.
    const short writable = pending_.bytes.empty() ? 0 : POLLOUT;
    all[3] = {output_closed_ ? -1 : output_descriptor(), writable, 0};
    if (::poll(all.data(), all.size(), timeout()) < 0 && errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "poll");
    }
    if (all[0].revents) handle_signal(signals_.take());
    if (all[3].revents) write_some(all[3].revents);
    if (all[2].revents) read_input();
  }

  // Until the next message is due again.
  int timeout() const {
    Steady until = steady_now() + 10s;
    if (connection_) {
      if (const auto due = channel_.next_due()) until = std::min(until, *due);
    } else {
      until = std::min(until, resume_at_);
    }
    if (goodbye_) until = std::min(until, *goodbye_);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady_now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 10'000));
  }

  int output_descriptor() const { return pending_.error ? options_.streams.error : options_.streams.output; }

  void write_some(short events) {
    if (pending_.bytes.empty()) {
      if (events & POLLERR) close_output(EPIPE);
      return;
    }
    const std::size_t size = std::min(pending_.bytes.size(), kWriteBytes);
    const ssize_t written = ::write(output_descriptor(), pending_.bytes.data(), size);
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (written < 0) return close_output(errno);
    printed_ = true;
    pending_.bytes.erase(0, static_cast<std::size_t>(written));
  }

  // No reader is left, or the disk is full: the command ends, as if it wrote there itself.
  void close_output(int error) {
    if (error == EPIPE) signal_ = SIGPIPE;
    if (error != EPIPE) failure_ = "the output could not be written: " + std::generic_category().message(error);
    output_closed_ = true;
    pending_.bytes.clear();
    end();
  }

  void read_input() {
    std::string piece(ExecChannel::kPieceBytes, '\0');
    const ssize_t got = ::read(options_.streams.input, piece.data(), piece.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) {
      reads_input_ = false;
      channel_.send(PayloadType::Flag, encode_flag(Flag::EndOfInput), now_ms(), steady_now());
      return;
    }
    piece.resize(static_cast<std::size_t>(got));
    if (options_.detach_keys && has_detach_keys(piece)) return end();
    channel_.send(PayloadType::Output, std::move(piece), now_ms(), steady_now());
  }

  // Ctrl-P, then Ctrl-Q.
  bool has_detach_keys(const std::string& keys) {
    for (char key : keys) {
      if (key == kCtrlQ && last_key_ == kCtrlP) return true;
      last_key_ = key;
    }
    return false;
  }

  void handle_signal(int number) {
    if (number == SIGWINCH) resized_ = true;
    if (number == 0 || number == SIGWINCH || number == SIGPIPE) return;
    if (goodbye_) over_ = true;  // a second one
    signal_ = number;
    end();
  }

  // The command is ended as well, and its end is awaited for a moment.
  void end() {
    if (goodbye_) return;
    goodbye_ = steady_now() + kGoodbye;
    if (channel_.accepts_input()) {
      channel_.send(PayloadType::Flag, encode_flag(Flag::TerminateSession), now_ms(), steady_now());
    } else {
      terminate();
    }
  }

  // For when the channel can't do it: its window is full, its handshake is not over, or the server does not confirm.
  void terminate() {
    if (std::exchange(terminated_, true)) return;
    try {
      call_ssm<shapes::ssm::TerminateSessionResponse>("TerminateSession", shapes::ssm::TerminateSessionRequest{id_});
    } catch (const std::exception& error) {
      failure_ = std::string("the session could not be ended: ") + error.what();
    }
  }

  int result() const {
    std::string why = failure_;
    if (why.empty() && !signal_ && !goodbye_) why = channel_.closed().value_or("");
    if (!why.empty()) std::cerr << "stoker: " << why << std::endl;
    if (signal_) return 128 + *signal_;
    if (!failure_.empty()) return kSessionFailed;
    if (goodbye_) return 0;  // detached
    return channel_.exit_code().value_or(kSessionFailed);
  }

  ClusterClient& client_;
  const SessionOptions& options_;
  const SessionSignals& signals_;
  ExecChannel channel_;
  std::unique_ptr<ExecConnection> connection_;
  std::string id_, failure_;
  ExecChannel::Output pending_;
  bool over_ = false, reads_input_ = false, output_closed_ = false;
  bool printed_ = false, terminated_ = false;
  bool resized_ = true;  // the size is sent at the start as well
  char last_key_ = 0;
  std::optional<int> signal_;
  std::optional<Steady> goodbye_, lost_at_;
  Steady resume_at_{};
};

}  // namespace

SessionEnd run_session(ClusterClient& client, const SessionOptions& options, const SessionSignals& signals) {
  std::optional<RawTerminal> raw;  // restored on every way out
  if (options.request.tty.value_or(false)) raw.emplace(options.streams.input);
  return ExecRun(client, options, signals).run();
}

void use_terminal(shapes::stoker::StokerExecRequest& request) {
  if (!::isatty(STDIN_FILENO)) {
    throw UsageError("standard input is not a terminal: leave out -t (and use -i for pipes)");
  }
  const TerminalSize size = terminal_size(STDIN_FILENO);
  request.tty = true;
  request.rows = size.rows;
  request.columns = size.cols;
  if (const char* term = std::getenv("TERM")) request.term = term;
}

shapes::stoker::StokerExecRequest session_request(ClusterClient& client, const std::string& task,
                                                  const std::optional<std::string>& container) {
  shapes::stoker::StokerExecRequest request;
  request.cluster = client.cluster();
  request.task = client.find_task_or_name(task);
  request.container = container;
  return request;
}

}  // namespace cli
