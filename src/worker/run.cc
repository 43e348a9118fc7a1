// SPDX-License-Identifier: Apache-2.0
#include "worker/run.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/describe/class.hpp>
#include <cerrno>
#include <optional>

#include "client/request.h"
#include "wire/error.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace worker {
namespace asio = boost::asio;
namespace {

constexpr int kInterrupted = 130;
constexpr base::Duration kMetadataDeadline = std::chrono::seconds(3);

struct TaskMetadata {
  std::optional<std::string> TaskARN;
};
BOOST_DESCRIBE_STRUCT(TaskMetadata, (), (TaskARN))

// "" if there is no such endpoint.
std::string read_task_arn(const std::string& url) {
  const auto endpoint = client::parse_endpoint(url);
  if (!endpoint) return "";
  http::IoThreads io(1);
  std::string body;
  {
    http::Client http(io, *endpoint);
    const std::string after = url.substr(url.find("://") + 3);
    const std::size_t slash = after.find('/');
    http::Request request;
    request.head.method = "GET";
    request.head.target = (slash == after.npos ? "" : after.substr(slash)) + "/task";
    auto response = http.send_now(std::move(request), kMetadataDeadline);
    if (response && response->status == 200) body = std::move(response->body);
  }
  io.stop();
  TaskMetadata task;
  try {
    wire::read_json(wire::type_of<TaskMetadata>(), body, &task);
  } catch (const wire::ApiError&) {
    return "";
  }
  return task.TaskARN.value_or("");
}

std::string own_host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

struct StopOnSignal {
  asio::signal_set& signals;
  Worker& worker;

  void wait() {
    signals.async_wait([this](const boost::system::error_code& cancelled, int) {
      if (cancelled) return;
      if (draining) ::_exit(kInterrupted);
      draining = true;
      worker.drain();
      wait();
    });
  }
  bool draining = false;
};

asio::awaitable<void> work(http::IoThreads& io, Options options, client::Settings settings, Surroundings around) {
  Worker worker(io, std::move(options), settings, std::move(around));
  asio::signal_set signals(io.at(0), SIGINT, SIGTERM);
  auto stop = std::make_unique<StopOnSignal>(StopOnSignal{signals, worker});
  stop->wait();
  co_await worker.run();
}

[[noreturn]] void serve_as_init(pid_t child) {
  sigset_t all;
  sigfillset(&all);
  for (;;) {
    int status = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, &status, WNOHANG)) > 0) {
      if (ended == child) ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
    const int number = ::sigwaitinfo(&all, nullptr);
    if (number > 0 && number != SIGCHLD) ::kill(child, number);
  }
}

}  // namespace

Surroundings find_surroundings(const client::Environment& environment) {
  Surroundings around;
  if (const auto url = environment("ECS_CONTAINER_METADATA_URI_V4")) around.task_arn = read_task_arn(*url);
  around.machine = environment("STOKER_MACHINE").value_or(own_host_name());
  return around;
}

void become_init() {
  if (::getpid() != 1) return;
  sigset_t all, before;
  sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, &before);
  const pid_t child = ::fork();
  if (child > 0) serve_as_init(child);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (child == 0) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

int run(const Options& options, const client::Settings& settings) {
  ::signal(SIGPIPE, SIG_IGN);
  Surroundings around = find_surroundings(client::process_environment());
  http::IoThreads io(1);
  asio::co_spawn(io.at(0), work(io, options, settings, std::move(around)), asio::use_future).get();
  io.stop();
  return 0;
}

}  // namespace worker
