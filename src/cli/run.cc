// SPDX-License-Identifier: Apache-2.0
// stoker run: registers a task definition, runs a task, and shows its output and exit status.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <ostream>
#include <thread>

#include "base/stop_signals.h"
#include "cli/cluster_client.h"
#include "cli/explanation.h"
#include "cli/json.h"
#include "cli/log_stream.h"
#include "cli/names.h"

namespace cli {
namespace {

using namespace shapes::ecs;

constexpr int kNotPlaced = 1;
constexpr int kDidNotStart = 125;  // as docker run
constexpr int kInterrupted = 130;  // as shells
constexpr auto kStatusInterval = std::chrono::milliseconds(100);
constexpr int kStatusChecksAfterOutput = 50;  // before the output is requested again
constexpr auto kRetryInterval = std::chrono::seconds(1);
constexpr int kMaxFailures = 60;  // consecutive

// Reuses the latest revision if the same arguments created it, else registers a new one.
std::string definition_arn(ClusterClient& client, const RegisterTaskDefinitionRequest& wanted) {
  try {
    DescribeTaskDefinitionRequest request{wanted.family, std::vector<std::string>{"TAGS"}};
    const auto latest = client.call<DescribeTaskDefinitionResponse>("DescribeTaskDefinition", request);
    for (const Tag& tag : latest.tags.value_or(std::vector<Tag>())) {
      const bool same = tag.key == kRunTag && tag.value == wanted.tags->front().value;
      if (same) return *latest.taskDefinition->taskDefinitionArn;
    }
  } catch (const wire::ApiError& error) {
    if (error.code() != "ClientException") throw;  // the family does not exist
  }
  const auto created = client.call<RegisterTaskDefinitionResponse>("RegisterTaskDefinition", wanted);
  return *created.taskDefinition->taskDefinitionArn;
}

// None when the task cannot be placed.
std::optional<Task> start_task(ClusterClient& client, const std::string& definition) {
  RunTaskRequest request{.cluster = client.cluster(), .startedBy = "stoker-run", .taskDefinition = definition};
  try {
    auto response = client.call<RunTaskResponse>("RunTask", request);
    if (!response.tasks->empty()) return std::move(response.tasks->front());
  } catch (const wire::ApiError& error) {
    // Amazon's error for a cluster without machines.
    if (error.message().find("No Container Instances") == error.message().npos) throw;
  }
  return std::nullopt;
}

// "task 3fa94c1b2d77 of run-process:1 on box-a with GPU 0, 1 (V100)"
void announce(ClusterClient& client, const Task& task, std::ostream& err) {
  err << "task " << short_id(*task.taskArn) << " of " << family_and_revision(*task.taskDefinitionArn);
  const auto machines = machine_names(client.instances());
  if (auto found = machines.find(*task.containerInstanceArn); found != machines.end()) err << " on " << found->second;
  const auto held = task.containers->front().gpuIds.value_or(std::vector<std::string>());
  std::string model;
  bool first = true;
  for (const auto& gpu : client.gpus()) {
    if (std::find(held.begin(), held.end(), gpu.gpuId) == held.end()) continue;
    err << (first ? " with GPU " : ", ") << gpu.index;
    model = gpu.model;
    first = false;
  }
  err << (model.empty() ? "" : " (" + model + ")") << std::endl;
}

// The first Ctrl-C stops the task; a second one ends this process.
class Interrupt {
 public:
  Interrupt(base::StopSignals& signals, const Options& options, std::string task, std::ostream& err)
      : thread_([this, &signals, options, task, &err] { watch(signals, options, task, err); }) {}
  ~Interrupt() {
    over_ = true;
    pthread_kill(thread_.native_handle(), SIGTERM);
    thread_.join();
  }

 private:
  void watch(base::StopSignals& signals, const Options& options, const std::string& task, std::ostream& err) {
    signals.wait();
    if (over_) return;
    err << "stoker: stopping the task; interrupt again to leave it running" << std::endl;
    try {
      StopTaskRequest request{.cluster = options.cluster, .task = task, .reason = "Interrupted at stoker run"};
      ClusterClient(options).call<StopTaskResponse>("StopTask", request);
    } catch (const std::exception& error) {
      err << "stoker: the task could not be stopped: " << error.what() << std::endl;
    }
    signals.wait();
    if (!over_) ::_exit(kInterrupted);
  }

  std::atomic<bool> over_ = false;
  std::thread thread_;
};

// Copies a task's output and waits for its end. Reopens a broken stream and skips what was already
// printed.
class Follower {
 public:
  Follower(ClusterClient& client, std::string task, std::ostream& out, std::ostream& err)
      : client_(client), task_(std::move(task)), out_(out), err_(err) {}

  Task until_stopped() {
    for (int failures = 0;;) {
      try {
        const bool copied = copy();
        if (auto task = stopped_soon(copied ? kStatusChecksAfterOutput : 1)) return std::move(*task);
        failures = 0;
      } catch (const std::runtime_error&) {  // the server is unavailable. An ApiError ends this.
        if (++failures > kMaxFailures) throw;
      }
      std::this_thread::sleep_for(kRetryInterval);
    }
  }

 private:
  // Returns false when the server has no output: the machine's agent is lost, or the task never
  // started. The task's status shows which.
  bool copy() {
    try {
      copy_from_start();
    } catch (const wire::ApiError&) {
      return false;
    }
    return true;
  }

  void copy_from_start() {
    std::size_t number = 0;
    read_logs(client_.profile(), {client_.cluster(), task_, std::nullopt, true, std::nullopt}, [&](LogLine line) {
      if (number++ < printed_) return true;
      ++printed_;
      std::ostream& to = line.stream == "stderr" ? err_ : out_;
      to << line.text << '\n';
      to.flush();
      return true;
    });
  }

  std::optional<Task> stopped_soon(int most) {
    for (int checks = 0; checks < most; ++checks) {
      Task task = client_.describe_task(task_);
      if (task.lastStatus == "STOPPED") return task;
      std::this_thread::sleep_for(kStatusInterval);
    }
    return std::nullopt;
  }

  ClusterClient& client_;
  std::string task_;
  std::ostream& out_;
  std::ostream& err_;
  std::size_t printed_ = 0;
};

int exit_status_of(const Task& task, std::ostream& err) {
  const Container& container = task.containers->front();
  if (container.exitCode) return *container.exitCode;
  err << "stoker: the task stopped before its container started: " << task.stoppedReason.value_or("no reason given");
  if (container.reason) err << " (" << *container.reason << ")";
  err << std::endl;
  return kDidNotStart;
}

}  // namespace

int run(const Options& options, const RunArguments& arguments, std::ostream& out, std::ostream& err) {
  base::StopSignals signals;  // before the clients start threads
  auto definition = definition_of(arguments);
  if (!definition) throw std::runtime_error(definition.error());
  ClusterClient client(options);
  const std::string arn = definition_arn(client, *definition);
  const std::optional<Task> task = start_task(client, arn);
  if (!task) {
    const auto explanation = explain_definition(client, family_and_revision(arn));
    if (options.json) {
      print_json(out, explanation);
    } else {
      print_explanation(err, explanation);
    }
    return kNotPlaced;
  }
  const std::string id = id_of(*task->taskArn);
  if (arguments.detach) {
    signals.let_through();
    if (options.json) {
      print_json(out, *task);
    } else {
      announce(client, *task, err);
      out << id << std::endl;
    }
    return 0;
  }
  Interrupt interrupt(signals, options, id, err);
  announce(client, *task, err);
  const Task ended = Follower(client, id, out, err).until_stopped();
  return exit_status_of(ended, err);
}

}  // namespace cli
