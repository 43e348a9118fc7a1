// SPDX-License-Identifier: Apache-2.0
// stoker run: registers a task definition, runs a task, and shows its output and exit status.
#include <algorithm>
#include <ostream>

#include "base/stop_signals.h"
#include "cli/explanation.h"
#include "cli/json.h"
#include "cli/names.h"
#include "cli/rows.h"
#include "cli/run_follow.h"
#include "cli/run_launch.h"
#include "cli/terminal_text.h"
#include "cli/usage_error.h"

namespace cli {
namespace {

using namespace shapes::ecs;

constexpr int kNotPlaced = 1;
constexpr int kDidNotStart = 125;  // as docker run

// "task 3fa94c1b2d77 of run-process:1 on box-a with GPU 0, 1 (V100)"
void announce(ClusterClient& client, const Task& task, std::ostream& err) {
  err << "task " << short_id(*task.taskArn) << " of " << family_and_revision(*task.taskDefinitionArn);
  const auto machines = machine_names(client.instances());
  if (auto found = machines.find(task.containerInstanceArn.value_or("")); found != machines.end()) {
    err << " on " << terminal_text(found->second);
  }
  std::vector<std::string> held;
  if (task.containers && !task.containers->empty()) {
    held = task.containers->front().gpuIds.value_or(std::vector<std::string>());
  }
  std::string model;
  bool first = true;
  for (const auto& gpu : client.gpus()) {
    if (std::ranges::find(held, gpu.gpuId) == held.end()) continue;
    err << (first ? " with GPU " : ", ") << gpu.index;
    model = gpu.model;
    first = false;
  }
  err << (model.empty() ? "" : " (" + terminal_text(model) + ")") << std::endl;
}

int exit_status_of(const Task& task, std::ostream& err) {
  const bool any = task.containers && !task.containers->empty();
  const Container container = any ? task.containers->front() : Container();
  if (container.exitCode) return *container.exitCode;
  std::string reason = task.stoppedReason.value_or("no reason given");
  if (container.reason) reason += " (" + *container.reason + ")";
  err << "stoker: the task stopped before its container started: " << terminal_text(reason) << std::endl;
  return kDidNotStart;
}

// A rejected run leaves nothing behind.
StartedTasks start_or_clean_up(ClusterClient& client, const RunDefinition& definition, const RunArguments& arguments) {
  try {
    return start_tasks(client, definition.arn, arguments);
  } catch (...) {
    delete_created(client, definition);
    throw;
  }
}

int explain_rejection(ClusterClient& client, const Options& options, const RunDefinition& definition,
                      const RunArguments& arguments, std::ostream& out, std::ostream& err) {
  const auto explanation = explain_run(client, definition.arn, arguments);
  delete_created(client, definition);
  if (options.json) {
    print_json(out, explanation);
  } else {
    print_explanation(err, explanation);
  }
  return kNotPlaced;
}

void print_detached(ClusterClient& client, const Options& options, const RunArguments& arguments,
                    const StartedTasks& started, std::ostream& out, std::ostream& err) {
  const TaskList printed{started.tasks};
  if (!started.error.empty()) err << "stoker: " << terminal_text(started.error) << std::endl;
  if (static_cast<int>(printed.tasks.size()) < arguments.count) {
    err << "stoker: " << (started.error.empty() ? "there was room for " : "started ") << printed.tasks.size() << " of "
        << arguments.count << " tasks" << std::endl;
  }
  if (options.json) {
    if (arguments.count == 1) {
      print_json(out, printed.tasks.front());
    } else {
      print_json(out, printed);
    }
    return;
  }
  for (const Task& task : printed.tasks) {
    if (started.error.empty()) announce(client, task, err);  // else the server may not respond
    out << id_of(*task.taskArn) << std::endl;
  }
}

RegisterTaskDefinitionRequest wanted_definition(const RunArguments& arguments) {
  auto requested = definition_of(arguments);
  if (!requested) throw UsageError(requested.error());
  return std::move(*requested);
}

}  // namespace

int run(const Options& options, const RunArguments& arguments, std::ostream& out, std::ostream& err) {
  base::StopSignals signals;  // before the clients start threads
  const RegisterTaskDefinitionRequest wanted = wanted_definition(arguments);
  if (arguments.count > 1 && !arguments.detach) throw UsageError("--count above 1 needs --detach");
  if (arguments.remove && arguments.detach) throw UsageError("--rm waits for the end of the task: use it without --detach");
  ClusterClient client(options);
  const RunDefinition definition = find_or_create(client, wanted);
  const StartedTasks started = start_or_clean_up(client, definition, arguments);
  if (started.tasks.empty()) return explain_rejection(client, options, definition, arguments, out, err);
  if (arguments.detach) {
    signals.let_through();
    print_detached(client, options, arguments, started, out, err);
    return static_cast<int>(started.tasks.size()) < arguments.count ? kNotPlaced : 0;
  }
  const std::string id = id_of(*started.tasks.front().taskArn);
  Interrupt interrupt(signals, options, id, err);
  const Task placed = arguments.wait ? wait_for_machine(client, id, err) : started.tasks.front();
  if (placed.containerInstanceArn) announce(client, placed, err);
  show_pull(client, id, progress_columns(err), err);
  const Task ended = Follower(client, id, out, err).until_stopped();
  if (arguments.remove) remove_revision(client, definition, err);
  return exit_status_of(ended, err);
}

BackgroundRun run_in_background(const Options& options, const RunArguments& arguments, std::ostream& err) {
  base::StopSignals signals;  // before the client starts threads
  const RegisterTaskDefinitionRequest wanted = wanted_definition(arguments);
  ClusterClient client(options);
  BackgroundRun run{.definition = find_or_create(client, wanted)};
  const StartedTasks started = start_or_clean_up(client, run.definition, arguments);
  if (started.tasks.empty()) {
    run.status = explain_rejection(client, options, run.definition, arguments, err, err);
    return run;
  }
  signals.let_through();
  announce(client, started.tasks.front(), err);
  run.task = id_of(*started.tasks.front().taskArn);
  return run;
}

}  // namespace cli
