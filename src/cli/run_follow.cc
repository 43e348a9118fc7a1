// SPDX-License-Identifier: Apache-2.0
#include "cli/run_follow.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "cli/log_stream.h"
#include "cli/names.h"
#include "cli/polling.h"
#include "cli/terminal_text.h"
#include "shapes/stoker/explain.h"

namespace cli {
namespace {

using namespace shapes::ecs;

constexpr auto kStatusInterval = std::chrono::milliseconds(100);
// A change may come too early for a display without a terminal, and no other one after it.
constexpr std::int32_t kPullWaitSeconds = 10;
constexpr auto kQueueInterval = std::chrono::seconds(1);
constexpr int kStatusChecksAfterOutput = 50;  // before the output is requested again
constexpr auto kRetryInterval = std::chrono::seconds(1);
constexpr int kMaxFailures = 60;  // consecutive
constexpr std::size_t kMostAhead = 3;

// "The nearest is box-a: no GPU free: 2 of 2 held by task 3fa94c1b2d77; needs 1.", or "" where the server has no reason.
std::string queue_reason(ClusterClient& client, const std::string& task) {
  using namespace shapes::stoker;
  try {
    const StokerExplainRequest request{.cluster = client.cluster(), .task = task};
    for (const std::string& sentence : client.call<StokerExplainResponse>("StokerExplain", request).sentences) {
      if (sentence.starts_with("The nearest is ")) return terminal_text(with_short_ids(sentence));
    }
  } catch (const std::exception&) {
    // The position counts more.
  }
  return "";
}

}  // namespace

Interrupt::Interrupt(base::StopSignals& signals, const Options& options, std::string task, std::ostream& err)
    : options_(options),
      task_(std::move(task)),
      err_(err),
      thread_([this, &signals] { watch(signals); }),
      closed_(STDOUT_FILENO, [this] {
        stop_task("The output of stoker run was closed");
        ::_exit(kClosedPipe);
      }) {}

Interrupt::~Interrupt() {
  over_ = true;
  pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
}

void Interrupt::stop_task(const std::string& reason) {
  try {
    StopTaskRequest request{.cluster = options_.cluster, .task = task_, .reason = reason};
    ClusterClient(options_).call<StopTaskResponse>("StopTask", request);
  } catch (const std::exception& error) {
    err_ << "stoker: the task could not be stopped: " << error.what() << std::endl;
  }
}

void Interrupt::watch(base::StopSignals& signals) {
  signals.wait();
  if (over_) return;
  err_ << "stoker: stopping the task; interrupt again to leave it running" << std::endl;
  stop_task("Interrupted at stoker run");
  signals.wait();
  if (!over_) ::_exit(kInterrupted);
}

std::string queue_text(const std::vector<Task>& waiting, const std::string& task) {
  std::string ahead;
  std::size_t position = 0;
  for (; position < waiting.size() && id_of(*waiting[position].taskArn) != task; ++position) {
    if (position >= kMostAhead) continue;
    ahead += (position ? ", " : "; before it: ") + short_id(*waiting[position].taskArn) + " of " +
             family_and_revision(waiting[position].taskDefinitionArn.value_or(""));
  }
  if (position > kMostAhead) ahead += " and " + std::to_string(position - kMostAhead) + " more";
  return "waiting at position " + std::to_string(position + 1) + " of " +
         std::to_string(std::max(waiting.size(), position + 1)) + ahead;
}

void show_position(ClusterClient& client, const std::string& task, std::string& shown, std::ostream& err) {
  std::vector<Task> waiting = client.running_tasks();
  std::erase_if(waiting, [](const Task& one) { return one.lastStatus != "PROVISIONING"; });
  const std::string text = queue_text(waiting, task);
  if (text == shown) return;
  shown = text;
  err << "task " << short_id(task) << " is " << text << std::endl;
  const std::string reason = queue_reason(client, task);
  if (!reason.empty()) err << reason << std::endl;
}

Task wait_for_machine(ClusterClient& client, const std::string& id, std::ostream& err) {
  std::string shown;
  for (;;) {
    Task task = client.describe_task(id);
    if (task.lastStatus != "PROVISIONING") return task;
    show_position(client, id, shown, err);
    wait_before_next_look(kQueueInterval);
  }
}

void show_pull(ClusterClient& client, const std::string& id, std::optional<std::size_t> columns, std::ostream& err) {
  using namespace shapes::stoker;
  using Clock = std::chrono::steady_clock;
  PullDisplay display(columns, err, Clock::now());
  StokerExplainRequest request{.cluster = client.cluster(), .task = id};
  request.waitSeconds = kPullWaitSeconds;
  try {
    for (;;) {
      const auto state = client.call<StokerExplainResponse>("StokerExplain", request).state;
      if (!state || state->version.empty()) return;  // of an older server, which does not wait
      display.show(*state, Clock::now());
      if (state->task.lastStatus != "PENDING") return;
      request.knownVersion = state->version;
    }
  } catch (const std::exception&) {
    // The server is unavailable: whoever follows the output tries again.
  }
}

Task Follower::until_stopped() {
  for (int failures = 0;;) {
    try {
      const bool copied = copy();
      if (auto task = stopped_soon(copied ? kStatusChecksAfterOutput : 1)) return std::move(*task);
      failures = 0;
    } catch (const std::runtime_error&) {  // the server is unavailable. An ApiError ends this.
      if (++failures > kMaxFailures) throw;
    }
    wait_before_next_look(kRetryInterval);
  }
}

// Returns false when the server has no output: the machine's agent is lost, or the task never
// started. The task's status shows which.
bool Follower::copy() {
  try {
    copy_from_start();
  } catch (const wire::ApiError& error) {
    // The machine has output, but never sends it.
    if (error.code() == "InvalidParameterException" && !std::exchange(warned_, true)) {
      err_ << "stoker: no output: " << terminal_text(error.message()) << std::endl;
    }
    return false;
  }
  return true;
}

void Follower::copy_from_start() {
  std::map<std::string, std::size_t> read;  // bytes by stream
  read_logs(client_.profile(), {client_.cluster(), task_, std::nullopt, true, std::nullopt}, [&](LogLine line) {
    const std::string bytes = bytes_of(line);
    std::size_t& at = read[line.stream];
    std::size_t& printed = printed_[line.stream];
    const std::size_t known = std::min(printed - std::min(printed, at), bytes.size());
    at += bytes.size();
    if (known == bytes.size()) return true;
    printed = at;
    std::ostream& to = line.stream == "stderr" ? err_ : out_;
    to.write(bytes.data() + known, static_cast<std::streamsize>(bytes.size() - known));
    to.flush();
    return true;
  });
}

std::optional<Task> Follower::stopped_soon(int most) {
  for (int checks = 0; checks < most; ++checks) {
    Task task = client_.describe_task(task_);
    if (task.lastStatus == "STOPPED") return task;
    wait_before_next_look(kStatusInterval);
  }
  return std::nullopt;
}

}  // namespace cli
