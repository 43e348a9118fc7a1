// SPDX-License-Identifier: Apache-2.0
#include "agent/exec/exec_sessions.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <utility>

#include "agent/exec/exec_frames.h"
#include "base/log.h"
#include "base/words.h"

namespace agent {
namespace asio = boost::asio;
using shapes::agent::StokerExecMessage;
namespace {

constexpr int kNotStartedExitCode = 255;  // the container does not run, or the agent can't
constexpr base::Duration kExecPing = std::chrono::seconds(20);
constexpr base::Duration kExecSilence = std::chrono::seconds(60);  // then the server counts as gone
// For a client that does not read: the connection itself decides whether the server is there.
constexpr base::Duration kExecWritePatience = std::chrono::hours(24);
// Beyond kMaxExecSessions, requests are still answered, up to this number.
constexpr std::size_t kMaxPendingSessions = 2 * kMaxExecSessions;
constexpr std::size_t kMaxExecMessage = 256 * 1024;
constexpr std::size_t kMaxUnsentOutput = 2 * drivers::kMaxExecPiece;
// Input that waits for the command to read it. While there is more, nothing is read from the connection.
constexpr std::size_t kMaxWaitingInput = 256 * 1024;

drivers::ExecRequest to_request(const StokerExecMessage& message) {
  drivers::ExecRequest request;
  request.attach = message.attach;
  request.logs = message.logs;
  request.command = message.arguments.empty() ? base::split_words(message.command) : message.arguments;
  if (request.command.empty()) request.command = {"sh"};  // as ECS
  request.input = message.interactive;
  request.terminal = message.tty;
  request.rows = message.rows;
  request.columns = message.columns;
  request.term = message.term;
  return request;
}

// Counts for as long as it lives.
struct Counted {
  explicit Counted(std::size_t& counter) : count(counter) { ++count; }
  Counted(const Counted&) = delete;
  ~Counted() { --count; }
  std::size_t& count;
};

// Removes the session at its end.
template <class Sessions>
struct Registered {
  Registered(Sessions& all, std::string session) : sessions(all), id(std::move(session)) {}
  Registered(const Registered&) = delete;
  ~Registered() { sessions.erase(id); }
  Sessions& sessions;
  std::string id;
};

}  // namespace

struct ExecSessions::Live {
  std::shared_ptr<http::WebSocket> socket;  // shared with its reader and writers
  std::unique_ptr<drivers::ExecStream> stream;
  std::deque<std::string> input;  // for the command
  std::size_t input_bytes = 0;
  bool input_ends = false;  // after `input`
  bool gone = false;        // the server, or the client behind it
  bool over = false;        // the command's output
  Signal changed;
};

void ExecSessions::begin(StokerExecMessage request, ExecServer server) {
  if (running_.contains(request.sessionId)) return;  // sent again
  if (running_.size() >= kMaxPendingSessions) {
    base::log_warn("request for a command ignored: too many", {{"session", request.sessionId}});
    return;
  }
  running_[request.sessionId] = std::make_shared<Live>();
  coroutines_.spawn("exec", run(std::move(request), std::move(server)));
}

void ExecSessions::end(const std::string& session) {
  const auto found = running_.find(session);
  if (found == running_.end() || !found->second->stream) return;
  coroutines_.spawn("exec end", lose_client(found->second));
}

asio::awaitable<void> ExecSessions::run(StokerExecMessage request, ExecServer server) {
  const Registered registered(running_, request.sessionId);
  const std::shared_ptr<Live> live = running_.at(request.sessionId);
  const std::map<std::string, std::string> query = {{"session", request.sessionId}};
  http::WebSocketLimits limits;
  limits.binary = true;
  limits.message_bytes = kMaxExecMessage;
  limits.write_patience = kExecWritePatience;
  try {
    auto socket = co_await connect(server.profile, server.url, "/stoker/exec", query, limits);
    live->socket = std::move(socket);
  } catch (const std::exception& error) {
    base::log_warn("connection for a command failed", {{"session", request.sessionId}, {"error", error.what()}});
    co_return;
  }
  drivers::ExecEnd end = co_await run_command(live, request);
  base::log_info("command in a container ended", {{"session", request.sessionId}, {"task", request.taskArn},
                                                  {"code", end.code}, {"reason", end.reason}});
  live->over = true;
  live->changed.notify();
  live->socket->send_binary(exec_ended(end));
  live->socket->close();
}

asio::awaitable<drivers::ExecEnd> ExecSessions::run_command(std::shared_ptr<Live> live, const StokerExecMessage& request) {
  drivers::ExecEnd end;
  end.code = kNotStartedExitCode;
  end.reason = "too many commands run in containers of this machine";
  if (admitted_ >= kMaxExecSessions) co_return end;
  const Counted counted(admitted_);
  auto stream = co_await open(request);
  if (!stream) {
    end.reason = stream.error();
    co_return end;
  }
  live->stream = std::move(*stream);
  co_await serve(live, request);
  end = co_await live->stream->end();
  co_return end;
}

asio::awaitable<base::Result<std::unique_ptr<drivers::ExecStream>>> ExecSessions::open(const StokerExecMessage& request) {
  const TaskRunner* task = tasks_.find(request.taskArn);
  if (!task) co_return base::Error{"the task is not on this machine"};
  const auto& containers = task->record().containers;
  const auto found = std::ranges::find(containers, request.containerName, &ContainerRecord::name);
  if (found == containers.end()) co_return base::Error{"the task has no container " + request.containerName};
  if (found->status != kRunning) co_return base::Error{"the container is not running"};
  std::string id = found->id;
  drivers::ExecRequest wanted = to_request(request);
  auto stream = co_await machine_.driver.exec(std::move(id), std::move(wanted));
  co_return std::move(stream);
}

asio::awaitable<void> ExecSessions::serve(std::shared_ptr<Live> live, const StokerExecMessage& request) {
  base::log_info("command in a container started", {{"session", request.sessionId}, {"task", request.taskArn},
                                                    {"container", request.containerName}, {"pid", live->stream->pid()}});
  live->socket->send_binary(exec_started(live->stream->pid()));
  coroutines_.spawn("exec input", read_input(live));
  coroutines_.spawn("exec writer", write_input(live));
  coroutines_.spawn("exec pings", keep_alive(live));
  co_await send_output(live);
}

// The connection or the client has ended, so the command must end. Its output ends then.
asio::awaitable<void> ExecSessions::lose_client(std::shared_ptr<Live> live) {
  if (std::exchange(live->gone, true)) co_return;
  live->changed.notify();
  co_await live->stream->hang_up();
}

asio::awaitable<void> ExecSessions::send_output(std::shared_ptr<Live> live) {
  for (;;) {
    drivers::ExecOutput output = co_await live->stream->read();
    if (output.source == drivers::ExecSource::End) co_return;
    const bool sent = !live->gone && live->socket->send_binary(exec_output(output));
    if (sent) {
      co_await live->socket->wait_for_room(kMaxUnsentOutput);
    } else if (!live->gone) {
      co_await lose_client(live);
    }
    // A command that always has output must not keep the agent from its other work.
    co_await asio::post(asio::use_awaitable);
  }
}

// Ends with the connection. Where that ends first, the command ends, too.
asio::awaitable<void> ExecSessions::read_input(std::shared_ptr<Live> live) {
  while (!live->over) {
    base::Result<std::string> message = co_await live->socket->read(kExecSilence);
    if (live->over) co_return;
    if (!message) {
      co_await lose_client(live);
      co_return;
    }
    ExecInput input = parse_exec_input(*message);
    if (input.kind == ExecInput::Kind::Window) {
      co_await live->stream->resize(input.rows, input.columns);
    } else if (input.kind == ExecInput::Kind::Signal) {
      co_await live->stream->signal(input.signal);
    } else if (input.kind == ExecInput::Kind::HangUp) {
      co_await live->stream->hang_up();
    } else if (input.kind == ExecInput::Kind::EndOfInput) {
      live->input_ends = true;
    } else if (input.kind == ExecInput::Kind::Input && !live->input_ends) {
      live->input_bytes += input.bytes.size();
      live->input.push_back(std::move(input.bytes));
    }
    live->changed.notify();
    while (live->input_bytes > kMaxWaitingInput && !live->over && !live->gone) {
      co_await live->changed.wait(kLongestWait);
    }
  }
}

asio::awaitable<void> ExecSessions::write_input(std::shared_ptr<Live> live) {
  while (!live->over && !live->gone) {
    if (live->input.empty() && live->input_ends) {
      co_await live->stream->end_input();
      co_return;
    }
    if (live->input.empty()) {
      co_await live->changed.wait(kLongestWait);
      continue;
    }
    std::string bytes = std::move(live->input.front());
    live->input.pop_front();
    const std::size_t size = bytes.size();
    // What the command does not read any more is dropped, as from a closed pipe.
    [[maybe_unused]] const bool written = co_await live->stream->write(std::move(bytes));
    live->input_bytes -= size;
    live->changed.notify();
  }
}

// Notices a broken connection while the command does not read its input.
asio::awaitable<void> ExecSessions::keep_alive(std::shared_ptr<Live> live) {
  auto due = std::chrono::steady_clock::now() + kExecPing;
  while (!live->over && !live->gone) {
    const auto left = std::chrono::ceil<base::Duration>(due - std::chrono::steady_clock::now());
    if (left > base::Duration(0)) {
      co_await live->changed.wait(left);
      continue;
    }
    due += kExecPing;
    if (live->socket->ping()) continue;
    co_await lose_client(live);
  }
}

}  // namespace agent
