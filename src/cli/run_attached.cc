// SPDX-License-Identifier: Apache-2.0
// stoker run -it
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <vector>

#include "cli/exec_commands.h"
#include "cli/exec_session.h"
#include "cli/names.h"
#include "cli/run_follow.h"
#include "cli/run_launch.h"
#include "cli/terminal_text.h"
#include "cli/usage_error.h"

namespace cli {
namespace {

constexpr int kLookEveryMillis = 100;
constexpr int kLookAtQueueEveryMillis = 1000;

constexpr int kInterruptedHere = 130;  // as shells

using shapes::ecs::Task;

// nullopt where a signal came first. Prints its position in the queue to `err` when it changes, and how far its image is
// pulled.
std::optional<Task> wait_for_task(ClusterClient& client, const SessionSignals& signals, const std::string& id,
                                  std::string_view status, std::ostream& err) {
  using Clock = std::chrono::steady_clock;
  PullDisplay display(progress_columns(err), err, Clock::now());
  for (std::string shown;;) {
    shapes::stoker::StokerTaskState state{.task = client.describe_task(id)};
    const std::string known = state.task.lastStatus.value_or("");
    if (known == "PENDING") state.pulls = pulls_of(client, id);
    display.show(state, Clock::now());
    if (known == status || known == "STOPPED") return state.task;
    const bool queued = known == "PROVISIONING";
    if (queued) show_position(client, id, shown, err);
    pollfd one{signals.descriptor(), POLLIN, 0};
    ::poll(&one, 1, queued ? kLookAtQueueEveryMillis : kLookEveryMillis);
    const int number = signals.take();
    if (number == SIGINT || number == SIGTERM || number == SIGHUP) return std::nullopt;
  }
}

int left_running(const std::string& id, std::ostream& err) {
  err << "stoker: the task " << id << " goes on" << std::endl;
  return kInterruptedHere;
}

int attached_exit_code(const Task& task, std::ostream& err) {
  const bool any = task.containers && !task.containers->empty();
  const shapes::ecs::Container container = any ? task.containers->front() : shapes::ecs::Container();
  if (container.exitCode) return *container.exitCode;
  const std::string reason = container.reason.value_or(task.stoppedReason.value_or("no reason given"));
  err << "stoker: the task stopped: " << terminal_text(reason) << std::endl;
  return kSessionFailed;
}

// All of its output, for a task that ended before it could be attached to.
int print_stopped(ClusterClient& client, const std::string& id, std::ostream& out, std::ostream& err) {
  const Task ended = Follower(client, id, out, err).until_stopped();
  return attached_exit_code(ended, err);
}

bool runs_processes(const shapes::ecs::ContainerInstance& machine) {
  for (const auto& one : machine.attributes.value_or(std::vector<shapes::ecs::Attribute>())) {
    if (one.name == "stoker.driver") return one.value == "process";
  }
  return false;
}

// Keeps a task whose input or terminal is needed from machines that have none to attach to: those that run processes.
void require_container(const Options& options, RunArguments& arguments) {
  ClusterClient client(options);
  std::vector<shapes::ecs::ContainerInstance> machines;
  if (arguments.machine.empty()) {
    machines = client.instances();
  } else {
    machines.push_back(client.find_instance(arguments.machine));
  }
  const auto unfit = std::ranges::count_if(machines, runs_processes);
  if (unfit == 0) return;
  if (unfit == std::ssize(machines)) {
    const std::string option = arguments.interactive ? "-i" : "-t";
    throw std::runtime_error(option + " needs a machine with the driver docker: a process has no " +
                             (arguments.interactive ? "input" : "terminal") + " to attach to. Start it without " + option +
                             ", and use `stoker exec " + option + "` in the running task");
  }
  arguments.constraints.push_back("attribute:stoker.driver != process");
}

bool has_ended(const Task& task) {
  const bool any = task.containers && !task.containers->empty();
  return !any || task.containers->front().lastStatus != "RUNNING";
}

// nullopt where the container ended before the session began.
std::optional<SessionEnd> attach_to(ClusterClient& client, const SessionSignals& signals, const std::string& id,
                                    const RunArguments& arguments) {
  SessionOptions session;
  session.request = session_request(client, id, std::nullopt);
  session.request.attach = session.request.logs = true;
  session.request.interactive = arguments.interactive;
  session.detach_keys = arguments.tty;
  if (arguments.tty) use_terminal(session.request);
  try {
    return run_session(client, session, signals);
  } catch (const wire::ApiError&) {
    if (!has_ended(client.describe_task(id))) throw;
  }
  return std::nullopt;
}

// How following a task ended. It may go on.
struct AttachedEnd {
  int status = 0;
  bool stopped = false;
};

AttachedEnd follow_attached(ClusterClient& client, const SessionSignals& signals, const std::string& id,
                            const RunArguments& arguments, std::ostream& out, std::ostream& err) {
  const auto running = wait_for_task(client, signals, id, "RUNNING", err);
  if (!running) return {left_running(id, err), false};
  if (running->lastStatus == "STOPPED") return {print_stopped(client, id, out, err), true};
  const auto end = attach_to(client, signals, id, arguments);
  if (end && end->left) {
    if (end->status == 0) err << "\nstoker: the task goes on; `stoker attach " << short_id(id) << "` returns to it" << std::endl;
    return {end->status, false};
  }
  const auto stopped = wait_for_task(client, signals, id, "STOPPED", err);
  if (!stopped) return {left_running(id, err), false};
  return {end && end->printed ? attached_exit_code(*stopped, err) : print_stopped(client, id, out, err), true};
}

}  // namespace

int run_or_attach(const Options& options, const RunArguments& arguments, std::ostream& out, std::ostream& err) {
  if (arguments.detach || (!arguments.interactive && !arguments.tty)) return run(options, arguments, out, err);
  if (arguments.tty && !::isatty(STDIN_FILENO)) {
    throw UsageError("standard input is not a terminal: leave out -t (and use -i for pipes)");
  }
  if (options.json) throw UsageError("--json can't be used with -i or -t: use --detach");
  if (arguments.count > 1) throw UsageError("--count above 1 needs --detach");
  RunArguments start = arguments;
  require_container(options, start);
  const BackgroundRun begun = run_in_background(options, start, err);
  if (begun.task.empty()) return begun.status;
  const SessionSignals signals;  // before this client starts threads
  ClusterClient client(options);
  const AttachedEnd end = follow_attached(client, signals, begun.task, arguments, out, err);
  if (!arguments.remove) return end.status;
  if (end.stopped) {
    remove_revision(client, begun.definition, err);
  } else if (begun.definition.created) {
    err << "stoker: its task definition stays: " << family_and_revision(begun.definition.arn) << std::endl;
  }
  return end.status;
}

}  // namespace cli
