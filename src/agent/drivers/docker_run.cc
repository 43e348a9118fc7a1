// SPDX-License-Identifier: Apache-2.0
// The life of a container: start, wait, stop, health.
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>

#include "agent/drivers/docker_driver.h"
#include "agent/drivers/docker_holder.h"
#include "agent/drivers/sleep.h"

namespace agent::drivers {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr base::Duration kLongWait = std::chrono::hours(24);     // then the request is repeated
constexpr base::Duration kStartWait = std::chrono::seconds(1);   // for a container that is not started yet
constexpr base::Duration kRetryDelay = std::chrono::seconds(1);  // while the engine is unavailable
constexpr base::Duration kStopMargin = std::chrono::seconds(30);
constexpr base::Duration kLastOutputTimeout = std::chrono::seconds(10);

constexpr base::Duration kPingDeadline = std::chrono::seconds(10);
// An engine that hangs closes no connection, so it is pinged.
constexpr base::Duration kPingInterval = std::chrono::seconds(30);

// Of the engine itself, which are rare: what matters is the end of the stream.
std::string quiet_events() {
  json::object filters;
  filters["type"] = json::array{"daemon"};
  return "/events?" + filter_query(filters);
}

std::string health_events(const std::string& id) {
  json::object filters;
  filters["container"] = json::array{id};
  filters["event"] = json::array{"health_status", "die", "destroy"};
  return "/events?" + filter_query(filters);
}

}  // namespace

// A task's holder runs before its containers, also after a reboot. When it holds the network, its
// address is the containers' address. Returns the error, or "".
asio::awaitable<std::string> DockerDriver::start_holder(std::string name, Started& started) {
  EngineReply reply = co_await api_->post("/containers/" + name + "/start");
  if (!reply.ok()) co_return reply.message();
  EngineReply inspected = co_await api_->get("/containers/" + name + "/json");
  if (!inspected.ok()) co_return inspected.message();
  started.address = address_of(inspected.json());
  co_return "";
}

void DockerDriver::follow_log(const asio::any_io_executor& executor, const json::value& inspected) {
  const std::string log_file = text_at(inspected, {"Config", "Labels", kLogFileLabel});
  if (log_file.empty()) return;
  const bool terminal = flag_at(inspected, {"Config", "Tty"});
  logs_.follow(executor, text_at(inspected, {"Id"}), log_file, terminal);
}

asio::awaitable<base::Result<Started>> DockerDriver::start(std::string id) {
  const std::string path = "/containers/" + id;
  EngineReply before = co_await api_->get(path + "/json");
  if (!before.ok()) co_return base::Error{"CannotStartContainerError: " + before.message()};
  Started of_task;
  const std::string holder = text_at(before.json(), {"Config", "Labels", kHolderLabel});
  if (!holder.empty()) {
    const std::string error = co_await start_holder(holder, of_task);
    if (!error.empty()) co_return base::Error{"CannotStartContainerError: " + error};
  }
  EngineReply reply = co_await api_->post(path + "/start");
  if (!reply.ok()) co_return base::Error{"CannotStartContainerError: " + reply.message()};
  EngineReply after = co_await api_->get(path + "/json");
  if (!after.ok()) co_return base::Error{"CannotStartContainerError: " + after.message()};
  const json::value inspected = after.json();
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  follow_log(executor, inspected);
  Started started = started_of(inspected);
  if (started.address.empty()) started.address = of_task.address;
  co_return started;
}

// The wait call returns when the container ends; its exit status comes from inspecting it. If the
// engine restarts meanwhile, its state after the restart is authoritative.
asio::awaitable<base::Result<Exit>> DockerDriver::wait(std::string id) {
  const std::string path = "/containers/" + id;
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  while (true) {
    EngineReply reply = co_await api_->get(path + "/json");
    if (reply.not_found()) co_return base::Error{reply.message()};
    if (reply.ok()) {
      const json::value inspected = reply.json();
      const bool started = phase_of(inspected) != Phase::Created;
      if (started) follow_log(executor, inspected);
      const std::optional<Exit> exit = exit_of(inspected);
      if (exit) {
        co_await logs_.finish(id, kLastOutputTimeout);
        co_return *exit;
      }
      const std::string target = path + "/wait?condition=" + (started ? "not-running" : "next-exit");
      const base::Duration deadline = started ? kLongWait : kStartWait;
      EngineReply ended = co_await api_->post(target, "", deadline);
      if (ended.ok()) continue;
    }
    co_await sleep_for(kRetryDelay);
  }
}

asio::awaitable<base::Result<Nothing>> DockerDriver::stop(std::string id, base::Duration grace) {
  const std::string path = "/containers/" + id;
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(grace);
  const std::string stop_target = path + "/stop?t=" + std::to_string(seconds.count());
  EngineReply stopped = co_await api_->post(stop_target, "", seconds + kStopMargin);
  if (stopped.ok() || stopped.not_found()) co_return Nothing{};
  // The engine failed to stop it: kill it.
  EngineReply killed = co_await api_->post(path + "/kill");
  // 409: it is not running.
  if (killed.not_found() || killed.status == 409) co_return Nothing{};
  if (!killed.ok()) co_return base::Error{killed.message()};
  const std::string wait_for_end = path + "/wait?condition=not-running";
  EngineReply ended = co_await api_->post(wait_for_end, "", kStopMargin);
  if (!ended.ok() && !ended.not_found()) co_return base::Error{ended.message()};
  co_return Nothing{};
}

asio::awaitable<base::Result<Nothing>> DockerDriver::ping() {
  EngineReply reply = co_await api_->get("/_ping", kPingDeadline);
  if (!reply.ok()) co_return base::Error{reply.message()};
  co_return Nothing{};
}

asio::awaitable<void> DockerDriver::watch_engine() {
  const std::string target = quiet_events();
  auto events = co_await api_->open("GET", target, kPingDeadline);
  if (!events || (*events)->status() != 200) {
    co_await sleep_for(kRetryDelay);
    co_return;
  }
  // Whatever ends the wait, an event, a closed connection or the deadline: the caller pings.
  [[maybe_unused]] const auto piece = co_await (*events)->read_piece(kPingInterval);
}

// Subscribes to events before reading the state, so that no change is missed.
asio::awaitable<base::Result<std::string>> DockerDriver::health(std::string id, std::string known) {
  const std::string target = health_events(id);
  while (true) {
    auto events = co_await api_->open("GET", target, kEngineDeadline);
    EngineReply reply = co_await api_->get("/containers/" + id + "/json");
    if (reply.not_found()) co_return base::Error{reply.message()};
    if (reply.ok()) {
      const json::value inspected = reply.json();
      const std::string health = health_of(inspected);
      if (health != known) co_return health;
      if (phase_of(inspected) == Phase::Exited) co_return base::Error{"the container has ended"};
    }
    if (events && (*events)->status() == 200) {
      base::Result<std::string> event = co_await (*events)->read_piece(kLongWait);
      if (event && !event->empty()) continue;
    }
    co_await sleep_for(kRetryDelay);
  }
}

}  // namespace agent::drivers
