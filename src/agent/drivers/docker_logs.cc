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
#include "agent/drivers/sleep.h"
#include "base/log.h"

namespace agent::drivers {

namespace asio = boost::asio;

namespace {

constexpr base::Duration kEngineRetryDelay = std::chrono::seconds(1);
constexpr base::Duration kNextPassDelay = std::chrono::milliseconds(50);
constexpr base::Duration kLogHeadDeadline = std::chrono::minutes(2);
constexpr base::Duration kReconnectAfter = std::chrono::hours(24);

}  // namespace

// Used on one executor only.
struct DockerLogs::Job {
  asio::any_io_executor executor;
  std::string id;
  std::string log_file;
  bool terminal = false;
  bool done = false;
  asio::cancellation_signal stop;
  std::vector<std::weak_ptr<asio::steady_timer>> waiting;  // cancelled when the job is done
};

namespace {

using Job = DockerLogs::Job;

// A container that is being removed, or is gone, is not worth a warning.
void log_rejection(const Job& job, int status, const std::string& body) {
  if (status == 404 || status == 409) return;
  const EngineReply rejection{status, body};
  base::log_warn("engine returned no output", {{"container", job.id}, {"reason", rejection.message()}});
}

enum class Pass { Complete, Interrupted, Impossible };

// Copies the output since the end of the file and, while the container runs, follows it.
asio::awaitable<Pass> copy_once(DockerApi& api, const Job& job, DockerLogCopy& copy) {
  const std::string target =
      "/containers/" + job.id + "/logs?follow=1&stdout=1&stderr=1&timestamps=1&since=" + copy.begin();
  auto opened = co_await api.open("GET", target, kLogHeadDeadline);
  if (!opened) co_return Pass::Interrupted;
  http::ResponseStream& stream = **opened;
  while (true) {
    base::Result<std::string> piece = co_await stream.read_piece(kReconnectAfter);
    if (!piece) co_return Pass::Interrupted;
    if (stream.status() >= 400) {
      log_rejection(job, stream.status(), *piece);
      co_return Pass::Impossible;
    }
    if (piece->empty()) co_return Pass::Complete;
    auto messages = copy.feed(*piece);
    if (!messages) co_return Pass::Interrupted;
  }
}

// Only a pass that began after the container ended is known to be complete: so the state is read first.
asio::awaitable<void> copy_all(std::shared_ptr<DockerApi> api, std::shared_ptr<Job> job) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(job->log_file).parent_path(), ignored);
  auto copy = DockerLogCopy::open(job->log_file, job->terminal);
  if (!copy) {
    base::log_error("log file could not be opened", {{"container", job->id}, {"reason", copy.error()}});
    co_return;
  }
  while (true) {
    EngineReply reply = co_await api->get("/containers/" + job->id + "/json");
    if (reply.not_found()) co_return;
    base::Duration delay = kEngineRetryDelay;
    if (reply.ok()) {
      const bool ended = phase_of(reply.json()) == Phase::Exited;
      const Pass pass = co_await copy_once(*api, *job, *copy);
      if (pass == Pass::Impossible || (ended && pass == Pass::Complete)) co_return;
      if (pass == Pass::Complete) delay = kNextPassDelay;
    }
    co_await sleep_for(delay);
  }
}

void finish_job(Job& job) {
  job.done = true;
  for (const auto& waiting : job.waiting) {
    if (auto timer = waiting.lock()) timer->cancel();
  }
}

void stop_job(std::shared_ptr<Job> job) {
  asio::any_io_executor executor = job->executor;
  asio::post(executor, [job = std::move(job)] { job->stop.emit(asio::cancellation_type::terminal); });
}

}  // namespace

DockerLogs::DockerLogs(std::shared_ptr<DockerApi> api) : api_(std::move(api)) {}

DockerLogs::~DockerLogs() {
  for (auto& [id, job] : jobs_) stop_job(job);
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
    finish_job(*job);
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const boost::system::system_error& error) {
      // Aborted: stop() was called.
      if (error.code() != asio::error::operation_aborted) {
        base::log_error("log copy failed", {{"container", job->id}, {"reason", error.what()}});
      }
    } catch (const std::exception& error) {
      base::log_error("log copy failed", {{"container", job->id}, {"reason", error.what()}});
    }
  };
  asio::co_spawn(executor, copy_all(api_, job), asio::bind_cancellation_slot(job->stop.slot(), std::move(ended)));
}

asio::awaitable<void> DockerLogs::finish(std::string id, base::Duration timeout) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || found->second->done) co_return;
  const std::shared_ptr<Job> job = found->second;
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  auto timer = std::make_shared<asio::steady_timer>(executor, timeout);
  job->waiting.push_back(timer);
  boost::system::error_code ended;
  co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, ended));
}

void DockerLogs::forget(const std::string& id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  stop_job(found->second);
  jobs_.erase(found);
}

}  // namespace agent::drivers
