// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker_logs.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <filesystem>
#include <vector>

#include "agent/drivers/docker_log_copy.h"
#include "agent/drivers/docker_state.h"
#include "base/log.h"

namespace agent::drivers {

namespace asio = boost::asio;

namespace {

constexpr base::Duration kAwayDelay = std::chrono::seconds(1);  // the engine does not answer
constexpr base::Duration kAgainDelay = std::chrono::milliseconds(50);
constexpr base::Duration kHeadDeadline = std::chrono::minutes(2);
constexpr base::Duration kReconnectAfter = std::chrono::hours(24);  // then it asks again

}  // namespace

// All of it belongs to one executor.
struct DockerLogs::Job {
  asio::any_io_executor executor;
  std::string id;
  std::string log_file;
  bool terminal = false;
  bool done = false;
  asio::cancellation_signal stop;
  std::vector<std::weak_ptr<asio::steady_timer>> waiting;  // cancelled when it is done
};

namespace {

using Job = DockerLogs::Job;

asio::awaitable<void> sleep_for(base::Duration duration) {
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, duration);
  co_await timer.async_wait(asio::use_awaitable);
}

// One that is being removed, or is gone, is no news.
void note_refusal(const Job& job, int status, const std::string& body) {
  if (status == 404 || status == 409) return;
  const Answer refusal{status, body};
  base::log_warn("the engine gave no output", {{"container", job.id}, {"reason", refusal.message()}});
}

enum class Pass { Whole, Broken, Impossible };

// Reads what there is since the copy's end, and while the container runs what comes.
asio::awaitable<Pass> copy_once(DockerApi& api, const Job& job, DockerLogCopy& copy) {
  const std::string target =
      "/containers/" + job.id + "/logs?follow=1&stdout=1&stderr=1&timestamps=1&since=" + copy.begin();
  auto opened = co_await api.open("GET", target, kHeadDeadline);
  if (!opened) co_return Pass::Broken;
  http::ResponseStream& stream = **opened;
  while (true) {
    base::Result<std::string> piece = co_await stream.read_piece(kReconnectAfter);
    if (!piece) co_return Pass::Broken;
    if (stream.status() >= 400) {
      note_refusal(job, stream.status(), *piece);
      co_return Pass::Impossible;
    }
    if (piece->empty()) co_return Pass::Whole;
    auto taken = copy.feed(*piece);
    if (!taken) co_return Pass::Broken;
  }
}

// What is read once the container had ended is all that there is: it has been looked at before.
asio::awaitable<void> copy_all(std::shared_ptr<DockerApi> api, std::shared_ptr<Job> job) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(job->log_file).parent_path(), ignored);
  auto copy = DockerLogCopy::open(job->log_file, job->terminal);
  if (!copy) {
    base::log_error("a log file could not be opened", {{"container", job->id}, {"reason", copy.error()}});
    co_return;
  }
  while (true) {
    Answer answer = co_await api->get("/containers/" + job->id + "/json");
    if (answer.not_found()) co_return;
    base::Duration delay = kAwayDelay;
    if (answer.ok()) {
      const bool ended = phase_of(answer.json()) == Phase::Exited;
      const Pass pass = co_await copy_once(*api, *job, *copy);
      if (pass == Pass::Impossible || (ended && pass == Pass::Whole)) co_return;
      if (pass == Pass::Whole) delay = kAgainDelay;
    }
    co_await sleep_for(delay);
  }
}

void note_end(Job& job) {
  job.done = true;
  for (const auto& waiting : job.waiting) {
    if (auto timer = waiting.lock()) timer->cancel();
  }
}

void stop(std::shared_ptr<Job> job) {
  asio::any_io_executor executor = job->executor;
  asio::post(executor, [job = std::move(job)] { job->stop.emit(asio::cancellation_type::terminal); });
}

}  // namespace

DockerLogs::DockerLogs(std::shared_ptr<DockerApi> api) : api_(std::move(api)) {}

DockerLogs::~DockerLogs() {
  for (auto& [id, job] : jobs_) stop(job);
}

void DockerLogs::follow(const asio::any_io_executor& executor, const std::string& id, const std::string& log_file,
                        bool terminal) {
  std::shared_ptr<Job>& job = jobs_[id];
  if (job && !job->done) return;
  job = std::make_shared<Job>();
  job->executor = executor;
  job->id = id;
  job->log_file = log_file;
  job->terminal = terminal;
  auto ended = [job = job](std::exception_ptr thrown) {
    note_end(*job);
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const boost::system::system_error& error) {
      // Told to stop.
      if (error.code() != asio::error::operation_aborted) {
        base::log_error("copying a log failed", {{"container", job->id}, {"reason", error.what()}});
      }
    } catch (const std::exception& error) {
      base::log_error("copying a log failed", {{"container", job->id}, {"reason", error.what()}});
    }
  };
  asio::co_spawn(executor, copy_all(api_, job), asio::bind_cancellation_slot(job->stop.slot(), std::move(ended)));
}

asio::awaitable<void> DockerLogs::finish(std::string id, base::Duration patience) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || found->second->done) co_return;
  const std::shared_ptr<Job> job = found->second;
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  auto timer = std::make_shared<asio::steady_timer>(executor, patience);
  job->waiting.push_back(timer);
  boost::system::error_code ended;
  co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, ended));
}

void DockerLogs::forget(const std::string& id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  stop(found->second);
  jobs_.erase(found);
}

}  // namespace agent::drivers
