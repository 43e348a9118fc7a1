// SPDX-License-Identifier: Apache-2.0
// Commands in containers, by the engine's exec and attach calls. Both turn a connection into a stream.
#include <signal.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <deque>
#include <optional>

#include "agent/drivers/docker_driver.h"
#include "agent/drivers/docker_exec_state.h"
#include "agent/drivers/docker_stream.h"
#include "agent/drivers/exec_launch.h"
#include "agent/drivers/process_state.h"
#include "base/bytes.h"
#include "base/log.h"

namespace agent::drivers {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

// The engine would keep Ctrl-P back, the first of its usual keys to detach, until the next key.
constexpr char kUnlikelyDetachKeys[] = "ctrl-@,ctrl-_,ctrl-@,ctrl-_";
constexpr char kTerminalEnd[] = "\x04";
constexpr int kDetached = 126;

bool has_variable(const json::value& inspected, const std::string& name) {
  const json::value* variables = find(inspected, {"Config", "Env"});
  if (!variables || !variables->is_array()) return false;
  return std::ranges::any_of(variables->get_array(), [&](const json::value& one) {
    return one.is_string() && std::string_view(one.get_string()).starts_with(name + "=");
  });
}

// As in sessions of ECS: root, whatever the container's user is, and the container's variables.
json::object exec_body(const ExecRequest& request, const json::value& container) {
  json::array variables;
  if (const std::string term = exec_term(request); !term.empty()) variables.emplace_back("TERM=" + term);
  if (!has_variable(container, "LANG")) variables.emplace_back("LANG=C.UTF-8");
  json::object body;
  body["AttachStdin"] = request.input;
  body["AttachStdout"] = true;
  body["AttachStderr"] = true;
  body["Tty"] = request.terminal;
  body["Cmd"] = json::array(request.command.begin(), request.command.end());
  body["Env"] = std::move(variables);
  body["User"] = "0";
  body["DetachKeys"] = kUnlikelyDetachKeys;
  if (request.terminal && request.rows > 0 && request.columns > 0) {
    body["ConsoleSize"] = json::array{request.rows, request.columns};
  }
  return body;
}

class DockerExec final : public ExecStream {
 public:
  DockerExec(std::shared_ptr<DockerApi> api, DockerTarget target, std::unique_ptr<http::ByteStream> stream)
      : api_(std::move(api)), target_(std::move(target)), stream_(std::move(stream)) {}

  // Waits until the engine has started the command, and lets `guard` watch it. Returns why that failed, or "".
  asio::awaitable<std::string> begin(std::vector<std::string> guard);

  std::int64_t pid() const override { return pid_; }
  asio::awaitable<ExecOutput> read() override;
  asio::awaitable<bool> write(std::string bytes) override;
  asio::awaitable<void> end_input() override;
  asio::awaitable<void> resize(int rows, int columns) override;
  asio::awaitable<void> signal(int number) override;
  asio::awaitable<void> hang_up() override;
  asio::awaitable<ExecEnd> end() override;

 private:
  asio::awaitable<std::string> read_error();
  void add(ExecSource source, std::string_view bytes);

  std::shared_ptr<DockerApi> api_;
  DockerTarget target_;
  std::unique_ptr<http::ByteStream> stream_;
  std::unique_ptr<ExecLauncher> guard_;  // none: the agent can't signal the engine's processes, or attached
  DockerStream frames_;
  std::deque<ExecOutput> ready_;  // of one read
  std::int64_t pid_ = 0;
  bool over_ = false, detached_ = false;
  std::optional<ExecEnd> end_;
};

// The engine writes the reason why it could not start a command into the stream.
asio::awaitable<std::string> DockerExec::read_error() {
  std::string text;
  for (;;) {
    ExecOutput output = co_await read();
    if (output.source == ExecSource::End) break;
    if (text.size() < kMaxExecPiece) text += output.bytes;
  }
  co_return std::string(base::trim(text));
}

asio::awaitable<std::string> DockerExec::begin(std::vector<std::string> guard) {
  const auto state = co_await await_start(*api_, target_);
  if (!state) co_return state.error();  // it would run unguarded, and outlive its client
  pid_ = state->pid;
  if (!state->running && pid_ == 0 && state->code != 0) {
    std::string reason = co_await read_error();
    end_ = ExecEnd{state->code, reason.empty() ? "the engine could not start the command" : std::move(reason)};
  }
  if (!state->running) co_return "";
  ExecSpec spec;
  spec.guarded = pid_;
  spec.guarded_ticks = start_ticks(static_cast<pid_t>(pid_)).value_or(0);
  // Process ids are reused, but not while it runs.
  const auto later = co_await await_start(*api_, target_);
  if (!later) co_return later.error();
  if (!later->running) co_return "";
  const std::array<int, 3> no_files = {-1, -1, -1};
  auto started = co_await ExecLauncher::start(std::move(guard), std::move(spec), no_files);
  if (!started) {
    signal_session(static_cast<pid_t>(pid_), SIGKILL);
    co_return started.error();
  }
  guard_ = std::move(*started);
  co_return "";
}

void DockerExec::add(ExecSource source, std::string_view bytes) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kMaxExecPiece))) {
    ready_.push_back({source, std::string(bytes.substr(0, kMaxExecPiece))});
  }
}

asio::awaitable<ExecOutput> DockerExec::read() {
  for (;;) {
    if (!ready_.empty()) {
      ExecOutput output = std::move(ready_.front());
      ready_.pop_front();
      co_return output;
    }
    if (over_) co_return ExecOutput{};
    base::Result<std::string> bytes = co_await stream_->read(kMaxExecPiece);
    over_ = !bytes || bytes->empty();
    if (over_) continue;
    if (target_.terminal) {
      add(ExecSource::Stdout, *bytes);
      continue;
    }
    const auto parsed = frames_.feed(*bytes, [this](LogStream stream, std::string_view message) {
      add(stream == LogStream::Stderr ? ExecSource::Stderr : ExecSource::Stdout, message);
    });
    over_ = !parsed;
  }
}

asio::awaitable<bool> DockerExec::write(std::string bytes) {
  base::Result<bool> written = co_await stream_->write(std::move(bytes));
  co_return static_cast<bool>(written);
}

asio::awaitable<void> DockerExec::end_input() {
  if (target_.terminal) {
    [[maybe_unused]] const bool sent = co_await write(kTerminalEnd);
  } else {
    stream_->end_output();
  }
}

asio::awaitable<void> DockerExec::resize(int rows, int columns) {
  const auto over = [this] { return over_ || (!target_.attach && (!guard_ || guard_->end())); };
  co_await resize_terminal(*api_, target_, rows, columns, over);
}

asio::awaitable<void> DockerExec::signal(int number) {
  if (guard_) guard_->signal(number);
  if (!target_.attach) co_return;
  const std::string target = target_.inspect.substr(0, target_.inspect.rfind('/')) + "/kill?signal=" + std::to_string(number);
  EngineReply reply = co_await api_->post(target);
  if (!reply.ok()) base::log_debug("container not signalled", {{"error", reply.message()}});
}

asio::awaitable<void> DockerExec::hang_up() {
  detached_ = target_.attach;
  if (guard_) guard_->hang_up();
  // Without a guard the output may never end.
  if (!guard_ || guard_->end()) stream_->close();
  co_return;
}

asio::awaitable<ExecEnd> DockerExec::end() {
  if (!end_) {
    const auto state = co_await await_end(*api_, target_, detached_);
    if (!state) {
      end_ = ExecEnd{137, state.error()};
    } else if (state->running) {
      end_ = ExecEnd{kDetached, "detached: the container runs on"};
    } else {
      end_ = ExecEnd{state->code, ""};
    }
  }
  stream_->close();  // a write may wait for a process in the background to read
  co_return *end_;
}

// Why a command could not be ended, or "". A command that outlives its client is worse than none.
std::string why_unkillable(const json::value& container) {
  const auto pid = static_cast<pid_t>(number_at(container, {"State", "Pid"}));
  if (pid > 0 && ::kill(pid, 0) == 0) return "";
  return "this agent can't end commands in containers of its engine: it must run as root, beside the engine";
}

base::Error to_error(const http::ByteStreamReply& reply) {
  const EngineReply rejection{reply.rejection.status, reply.rejection.body};
  return base::Error{rejection.message()};
}

asio::awaitable<base::Result<std::unique_ptr<ExecStream>>> attach(std::shared_ptr<DockerApi> api, std::string id,
                                                                  const json::value& container, ExecRequest request) {
  if (request.input && !flag_at(container, {"Config", "OpenStdin"})) {
    co_return base::Error{"the container has no open input: `interactive` is not set in its task definition"};
  }
  DockerTarget target;
  target.inspect = "/containers/" + id + "/json";
  target.resize = "/containers/" + id + "/resize";
  target.attach = true;
  target.terminal = flag_at(container, {"Config", "Tty"});
  const std::string call = "/containers/" + id + "/attach?stream=1&stdout=1&stderr=1&stdin=" + (request.input ? "1" : "0") +
                           (request.logs ? "&logs=1" : "") +
                           "&detachKeys=" + base::percent_encode(kUnlikelyDetachKeys);
  auto reply = co_await api->upgrade(call, "");
  if (!reply) co_return base::Error{reply.error()};
  if (!reply->stream) co_return to_error(*reply);
  auto attached = std::make_unique<DockerExec>(api, std::move(target), std::move(reply->stream));
  if (request.rows > 0 && request.columns > 0) {
    // As docker's command line: shells print their prompt again when the size changes. They may have printed it before,
    // and the engine's log only has whole lines.
    co_await attached->resize(request.rows + 1, request.columns + 1);
    co_await attached->resize(request.rows, request.columns);
  }
  std::unique_ptr<ExecStream> stream = std::move(attached);
  co_return std::move(stream);
}

}  // namespace

asio::awaitable<base::Result<std::unique_ptr<ExecStream>>> DockerDriver::exec(std::string id, ExecRequest request) {
  EngineReply inspected = co_await api_->get("/containers/" + id + "/json");
  if (!inspected.ok()) co_return base::Error{inspected.message()};
  const json::value container = inspected.json();
  if (!flag_at(container, {"State", "Running"})) co_return base::Error{"the container is not running"};
  if (request.attach) {
    auto attached = co_await attach(api_, id, container, std::move(request));
    co_return std::move(attached);
  }
  const std::string unkillable = why_unkillable(container);
  if (!unkillable.empty()) co_return base::Error{unkillable};
  std::string body = json::serialize(exec_body(request, container));
  EngineReply created = co_await api_->post("/containers/" + id + "/exec", std::move(body));
  if (!created.ok()) co_return base::Error{created.message()};
  const std::string call = "/exec/" + text_at(created.json(), {"Id"});
  json::object start;
  start["Detach"] = false;
  start["Tty"] = request.terminal;
  std::string start_body = json::serialize(start);
  auto reply = co_await api_->upgrade(call + "/start", std::move(start_body));
  if (!reply) co_return base::Error{reply.error()};
  if (!reply->stream) co_return to_error(*reply);
  DockerTarget target;
  target.inspect = call + "/json";
  target.resize = call + "/resize";
  target.terminal = request.terminal;
  auto command = std::make_unique<DockerExec>(api_, std::move(target), std::move(reply->stream));
  const std::string error = co_await command->begin(options_.exec_command);
  if (!error.empty()) co_return base::Error{error};
  // Engines before API 1.42 ignore ConsoleSize; a resize waits there until the command has started.
  if (request.terminal && request.rows > 0 && request.columns > 0) {
    co_await command->resize(request.rows, request.columns);
  }
  std::unique_ptr<ExecStream> stream = std::move(command);
  co_return std::move(stream);
}

}  // namespace agent::drivers
