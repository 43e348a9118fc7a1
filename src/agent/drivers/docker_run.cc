// SPDX-License-Identifier: Apache-2.0
// A container's life: start, wait, stop, and how it feels meanwhile.
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>

#include "agent/drivers/docker_driver.h"
#include "agent/drivers/docker_holder.h"

namespace agent::drivers {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr base::Duration kLongWait = std::chrono::hours(24);     // then it asks again
constexpr base::Duration kStartWait = std::chrono::seconds(1);   // for one that is not started yet
constexpr base::Duration kRetryDelay = std::chrono::seconds(1);  // while the engine is away
constexpr base::Duration kStopMargin = std::chrono::seconds(30);
constexpr base::Duration kLogPatience = std::chrono::seconds(10);  // for the last of the output

asio::awaitable<void> sleep_for(base::Duration duration) {
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, duration);
  co_await timer.async_wait(asio::use_awaitable);
}

std::string health_events(const std::string& id) {
  json::object filters;
  filters["container"] = json::array{id};
  filters["event"] = json::array{"health_status", "die", "destroy"};
  return "/events?" + filter_query(filters);
}

}  // namespace

// A task's holder runs before its members, also after the machine was rebooted. Its address is
// theirs, if it is the network that they share. Answers what went wrong, or "".
asio::awaitable<std::string> DockerDriver::start_holder(std::string name, Started& started) {
  Answer answer = co_await api_->post("/containers/" + name + "/start");
  if (!answer.ok()) co_return answer.message();
  Answer inspected = co_await api_->get("/containers/" + name + "/json");
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
  Answer before = co_await api_->get(path + "/json");
  if (!before.ok()) co_return base::Error{"CannotStartContainerError: " + before.message()};
  Started of_task;
  const std::string holder = text_at(before.json(), {"Config", "Labels", kHolderLabel});
  if (!holder.empty()) {
    const std::string trouble = co_await start_holder(holder, of_task);
    if (!trouble.empty()) co_return base::Error{"CannotStartContainerError: " + trouble};
  }
  Answer answer = co_await api_->post(path + "/start");
  if (!answer.ok()) co_return base::Error{"CannotStartContainerError: " + answer.message()};
  Answer after = co_await api_->get(path + "/json");
  if (!after.ok()) co_return base::Error{"CannotStartContainerError: " + after.message()};
  const json::value inspected = after.json();
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  follow_log(executor, inspected);
  Started started = started_of(inspected);
  if (started.address.empty()) started.address = of_task.address;
  co_return started;
}

// The engine tells when it ends; inspecting tells how. Whatever happens to the engine meanwhile,
// what it says of the container once it is back is the truth.
asio::awaitable<base::Result<Exit>> DockerDriver::wait(std::string id) {
  const std::string path = "/containers/" + id;
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  while (true) {
    Answer answer = co_await api_->get(path + "/json");
    if (answer.not_found()) co_return base::Error{answer.message()};
    if (answer.ok()) {
      const json::value inspected = answer.json();
      const bool started = phase_of(inspected) != Phase::Created;
      if (started) follow_log(executor, inspected);
      const std::optional<Exit> exit = exit_of(inspected);
      if (exit) {
        co_await logs_.finish(id, kLogPatience);
        co_return *exit;
      }
      const std::string target = path + "/wait?condition=" + (started ? "not-running" : "next-exit");
      const base::Duration deadline = started ? kLongWait : kStartWait;
      Answer ended = co_await api_->post(target, "", deadline);
      if (ended.ok()) continue;
    }
    co_await sleep_for(kRetryDelay);
  }
}

asio::awaitable<base::Result<Nothing>> DockerDriver::stop(std::string id, base::Duration grace) {
  const std::string path = "/containers/" + id;
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(grace);
  const std::string ask = path + "/stop?t=" + std::to_string(seconds.count());
  Answer stopped = co_await api_->post(ask, "", seconds + kStopMargin);
  if (stopped.ok() || stopped.not_found()) co_return Nothing{};
  // The engine could not; once more without asking the container.
  Answer killed = co_await api_->post(path + "/kill");
  // 409: it does not run.
  if (killed.not_found() || killed.status == 409) co_return Nothing{};
  if (!killed.ok()) co_return base::Error{killed.message()};
  const std::string wait_for_end = path + "/wait?condition=not-running";
  Answer ended = co_await api_->post(wait_for_end, "", kStopMargin);
  if (!ended.ok() && !ended.not_found()) co_return base::Error{ended.message()};
  co_return Nothing{};
}

// The events are asked for before the state is looked at, so that no change falls between.
asio::awaitable<base::Result<std::string>> DockerDriver::health(std::string id, std::string known) {
  const std::string target = health_events(id);
  while (true) {
    auto events = co_await api_->open("GET", target, kEngineDeadline);
    Answer answer = co_await api_->get("/containers/" + id + "/json");
    if (answer.not_found()) co_return base::Error{answer.message()};
    if (answer.ok()) {
      const json::value inspected = answer.json();
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
