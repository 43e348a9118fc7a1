// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker_exec_state.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "agent/drivers/sleep.h"
#include "base/log.h"

namespace agent::drivers {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using EngineClock = std::chrono::steady_clock;

constexpr base::Duration kFirstLook = std::chrono::milliseconds(5), kLongestLook = std::chrono::milliseconds(200);
constexpr base::Duration kResizePause = std::chrono::milliseconds(10);  // longer by as much after each attempt
constexpr int kResizeAttempts = 11;

enum class Wanted { Start, End };

// nullopt: neither started nor ended.
std::optional<CommandState> state_in(const json::value& inspected, bool attach) {
  const json::value* state = attach ? find(inspected, {"State"}) : &inspected;
  if (!state) return std::nullopt;
  const json::value* code = find(*state, {"ExitCode"});
  CommandState found;
  found.running = flag_at(*state, {"Running"});
  found.pid = number_at(*state, {"Pid"});
  if (!found.running && (!code || !code->is_number())) return std::nullopt;
  if (!found.running) found.code = static_cast<int>(number_at(*state, {"ExitCode"}));
  return found;
}

asio::awaitable<base::Result<CommandState>> look_until(DockerApi& api, const DockerTarget& target, Wanted wanted,
                                                       const bool& detached, base::Duration lag) {
  auto settled_at = EngineClock::now();  // when the engine last reported a command that runs
  for (base::Duration pause = kFirstLook;; pause = std::min(pause * 2, kLongestLook)) {
    EngineReply reply = co_await api.get(target.inspect);
    const auto state = reply.ok() ? state_in(reply.json(), target.attach) : std::nullopt;
    const bool running = state && state->running;
    // The engine calls a command running before it has a process.
    const bool found = state && (!running || detached || (wanted == Wanted::Start && state->pid > 0));
    if (found) co_return *state;
    if (running && wanted == Wanted::End) {
      settled_at = EngineClock::now();
    } else if (reply.not_found() || EngineClock::now() - settled_at >= lag) {
      co_return base::Error{reply.ok() ? "the engine did not start the command in time"
                                       : "the engine lost the command: " + reply.message()};
    }
    co_await sleep_for(pause);
  }
}

}  // namespace

asio::awaitable<base::Result<CommandState>> await_start(DockerApi& api, const DockerTarget& target, base::Duration lag) {
  const bool detached = false;
  auto state = co_await look_until(api, target, Wanted::Start, detached, lag);
  co_return std::move(state);
}

asio::awaitable<base::Result<CommandState>> await_end(DockerApi& api, const DockerTarget& target, const bool& detached,
                                                      base::Duration lag) {
  auto state = co_await look_until(api, target, Wanted::End, detached, lag);
  co_return std::move(state);
}

asio::awaitable<void> resize_terminal(DockerApi& api, const DockerTarget& target, int rows, int columns,
                                      std::function<bool()> over) {
  const std::string call = target.resize + "?h=" + std::to_string(rows) + "&w=" + std::to_string(columns);
  for (int attempt = 1;; ++attempt) {
    EngineReply reply = co_await api.post(call);
    if (reply.ok() || over()) co_return;
    if (attempt == kResizeAttempts) {
      base::log_debug("terminal not resized", {{"error", reply.message()}});
      co_return;
    }
    co_await sleep_for(kResizePause * attempt);
  }
}

}  // namespace agent::drivers
