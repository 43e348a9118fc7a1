// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/execute_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/random.h"
#include "services/ecs/errors.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/operations.h"
#include "services/ecs/tasks/task_view.h"
#include "services/shape_json.h"
#include "state/exec_session.h"

namespace services::ecs {
namespace {

using namespace shapes::ecs;
using shapes::stoker::StokerExecRequest;
using shapes::stoker::StokerExecSpec;

constexpr std::size_t kMaxCommandBytes = 64 * 1024;
constexpr std::size_t kMaxTermBytes = 64;
constexpr std::size_t kSessionIdLength = 26;
constexpr std::string_view kSessionIdAlphabet = "0123456789abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kTerm = "xterm-256color";

// The texts are ECS's own.
wire::ApiError not_enabled() {
  return invalid_parameter(
      "The execute command failed because execute command was not enabled when the task was run or the execute command "
      "agent isn\xe2\x80\x99t running. Wait and try again or run a new task with execute command enabled and try again.");
}

wire::ApiError not_connected() {
  return wire::ApiError("TargetNotConnectedException",
                        "The execute command failed due to an internal error. Try again later.");
}

// A container that a session is for.
struct Place {
  WholeCluster cluster;
  state::Task task;
  Task shown;
  Container container;
  ContainerDefinition definition;
};

state::Task find_task(Call& call, const state::Cluster& cluster, const std::string& text) {
  const bool is_id = text.size() == 32 || text.size() == 36;
  if (!text.starts_with("arn:") && !is_id) throw invalid_parameter("task length should be one of [32,36]");
  auto task = find_requested_task(call.tx, cluster, text);
  if (!task) throw invalid_parameter("The task provided in the request was not found.");
  return std::move(*task);
}

std::string container_of(const std::vector<ContainerDefinition>& all, const std::optional<std::string>& requested) {
  if (requested && !requested->empty()) return *requested;
  if (all.size() == 1) return *all.front().name;
  std::string names;
  for (const ContainerDefinition& one : all) names += (names.empty() ? "" : ", ") + *one.name;
  throw invalid_parameter("A container name must be specified for a task with several containers: " + names + ".");
}

Place find_place(Call& call, const std::optional<std::string>& cluster, const std::string& task_text,
                 const std::optional<std::string>& container) {
  WholeCluster home = find_whole_cluster(call, cluster);
  state::Task task = find_task(call, home, task_text);
  TaskView view(call, home);
  Task shown = view.show(task, false);
  const auto& definitions = *view.definition_of(task).body.containerDefinitions;
  const std::string name = container_of(definitions, container);
  const auto definition = std::ranges::find(definitions, name, &ContainerDefinition::name);
  if (definition == definitions.end()) {
    throw invalid_parameter(fmt::format("The container {} was not found in the task.", name));
  }
  const auto found = std::ranges::find(*shown.containers, name, &Container::name);
  Container place = *found;
  ContainerDefinition defined = *definition;
  return {std::move(home), std::move(task), std::move(shown), std::move(place), std::move(defined)};
}

bool is_running(const Place& place) {
  return place.container.lastStatus == "RUNNING" && place.task.desired == model::DesiredStatus::Running &&
         place.container.runtimeId.has_value();
}

// DEFAULT is the container's own log group; nothing where it has none.
void set_logging(const Place& place, StokerExecSpec& spec) {
  const auto& settings = place.cluster.body.configuration;
  const auto exec = settings ? settings->executeCommandConfiguration : std::nullopt;
  const std::string logging = exec ? exec->logging.value_or("DEFAULT") : "DEFAULT";
  if (logging == "NONE") return;
  if (logging == "OVERRIDE" && exec->logConfiguration) {
    spec.logGroup = exec->logConfiguration->cloudWatchLogGroupName;
    spec.bucket = exec->logConfiguration->s3BucketName;
    spec.keyPrefix = exec->logConfiguration->s3KeyPrefix;
    return;
  }
  const auto& log = place.definition.logConfiguration;
  if (!log || log->logDriver != "awslogs" || !log->options) return;
  const auto group = log->options->find("awslogs-group");
  if (group != log->options->end()) spec.logGroup = group->second;
}

void check_machine(Call& call, const Place& place) {
  const auto machine = load_instance(call.tx, place.task.machine);
  if (!machine || !machine->connected) throw not_connected();
  if (machine->can_exec()) return;
  if (machine->has_our_agent()) throw not_connected();
  throw wire::ApiError("TargetNotConnectedException",
                       fmt::format("The machine {} runs Amazon's ECS agent, which cannot run commands in containers. Use "
                                   "its engine (docker exec) on the machine.",
                                   machine->name));
}

ExecuteCommandResponse start(Call& call, const Place& place, const StokerExecSpec& spec) {
  const std::string task_id = place.task.id.str(), container = *place.container.name;
  if (state::count_live_exec_sessions(call.tx, task_id, container) >= kMaxSessionsOfContainer) {
    throw invalid_parameter(
        fmt::format("The container has {} sessions already. End one of them first.", kMaxSessionsOfContainer));
  }
  const state::ExecToken token = state::new_exec_token();
  state::ExecSession session;
  session.id = "ecs-execute-command-" + base::random_text(kSessionIdLength, kSessionIdAlphabet);
  session.account = place.cluster.account;
  session.region = place.cluster.region;
  session.cluster = place.cluster.number;
  session.task = task_id;
  session.container = container;
  session.machine = place.task.machine;
  session.target = "ecs:" + place.cluster.name + "_" + task_id + "_" + *place.container.runtimeId;
  session.owner = call.caller.arn();
  session.token_hash = token.hash;
  session.token_until = call.now + state::kExecTokenLife;
  session.spec_json = to_json(spec);
  session.created_at = call.now;
  state::insert_exec_session(call.tx, session);
  call.wake(std::string(state::kExecTopic));
  Session opened{.sessionId = session.id,
                 .streamUrl = state::exec_stream_url(call.caller.endpoint, session.id),
                 .tokenValue = token.value};
  return {.clusterArn = cluster_arn(place.cluster),
          .containerArn = place.container.containerArn,
          .containerName = container,
          .interactive = spec.interactive,
          .session = std::move(opened),
          .taskArn = place.shown.taskArn};
}

}  // namespace

ExecuteCommandResponse execute_command(Call& call, const ExecuteCommandRequest& request) {
  if (!request.interactive) throw invalid_parameter("Interactive is the only mode supported currently.");
  if (request.command.size() > kMaxCommandBytes) {
    throw invalid_parameter(fmt::format("command longer than {}.", kMaxCommandBytes));
  }
  const Place place = find_place(call, request.cluster, request.task, request.container);
  if (!place.shown.enableExecuteCommand.value_or(false) || !is_running(place)) throw not_enabled();
  check_machine(call, place);
  StokerExecSpec spec;
  spec.taskArn = *place.shown.taskArn;
  spec.command = base::trim(request.command).empty() ? "sh" : request.command;
  spec.term = kTerm;
  set_logging(place, spec);
  return start(call, place, spec);
}

// Whoever may run tasks in an account may also enter them, so enableExecuteCommand is not required.
ExecuteCommandResponse stoker_exec(Call& call, const StokerExecRequest& request) {
  const bool attach = request.attach.value_or(false);
  const std::vector<std::string> command = request.command.value_or(std::vector<std::string>());
  if (command.empty() != attach) {
    throw invalid_parameter(attach ? "A command is not valid with attach." : "A command is required.");
  }
  std::size_t bytes = request.term.value_or("").size();
  for (const std::string& word : command) bytes += word.size() + 1;
  if (bytes > kMaxCommandBytes) throw invalid_parameter(fmt::format("command longer than {}.", kMaxCommandBytes));
  const Place place = find_place(call, request.cluster, request.task, request.container);
  if (!is_running(place)) {
    throw invalid_parameter(fmt::format("The container {} is not running: its status is {}.", *place.container.name,
                                        place.container.lastStatus.value_or("unknown")));
  }
  check_machine(call, place);
  StokerExecSpec spec;
  spec.taskArn = *place.shown.taskArn;
  spec.arguments = command;
  spec.attach = attach;
  spec.logs = attach && request.logs.value_or(false);
  spec.interactive = request.interactive.value_or(false);
  spec.tty = request.tty.value_or(false);
  spec.rows = request.rows.value_or(spec.rows);
  spec.columns = request.columns.value_or(spec.columns);
  spec.term = request.term.value_or("").substr(0, kMaxTermBytes);
  if (spec.tty && spec.term.empty()) spec.term = kTerm;
  spec.ours = true;
  set_logging(place, spec);
  return start(call, place, spec);
}

std::vector<Operation> exec_operations() {
  return {
      operation<&execute_command>("ExecuteCommand", Access::Write),
      operation<&stoker_exec>("StokerExec", Access::Write),
  };
}

}  // namespace services::ecs
