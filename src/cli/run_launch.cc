// SPDX-License-Identifier: Apache-2.0
#include "cli/run_launch.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <ostream>

#include "cli/names.h"
#include "shapes/stoker/names.h"

namespace cli {
namespace {

using namespace shapes::ecs;

constexpr int kMostPerCall = 10;  // of RunTask

std::vector<PlacementConstraint> constraints_of(ClusterClient& client, const RunArguments& arguments) {
  std::vector<PlacementConstraint> constraints;
  for (const std::string& expression : arguments.constraints) {
    constraints.push_back({.type = "memberOf", .expression = expression});
  }
  if (!arguments.machine.empty()) {
    const std::string name = client.find_instance(arguments.machine).ec2InstanceId.value_or("");
    constraints.push_back({.type = "memberOf", .expression = "ec2InstanceId == " + name});
  }
  return constraints;
}

// Starts up to so many tasks with one call.
using Start = std::function<std::vector<Task>(int)>;

// Calls `start` for at most `most` tasks at a time, until it starts fewer. After an error, tasks that run are reported.
StartedTasks start_all(int count, int most, const Start& start) {
  StartedTasks started;
  while (static_cast<int>(started.tasks.size()) < count) {
    const int wanted = std::min(most, count - static_cast<int>(started.tasks.size()));
    try {
      std::vector<Task> placed = start(wanted);
      std::ranges::move(placed, std::back_inserter(started.tasks));
      if (static_cast<int>(placed.size()) < wanted) break;
    } catch (const std::exception& error) {
      if (started.tasks.empty()) throw;
      const auto* reply = dynamic_cast<const wire::ApiError*>(&error);
      started.error = reply ? reply->code() + ": " + reply->message() : error.what();
      break;
    }
  }
  return started;
}

StartedTasks run_tasks(ClusterClient& client, const std::string& definition, const RunArguments& arguments) {
  RunTaskRequest request{.cluster = client.cluster(), .startedBy = "stoker-run", .taskDefinition = definition};
  const auto constraints = constraints_of(client, arguments);
  if (!constraints.empty()) request.placementConstraints = constraints;
  if (arguments.wait) request.tags = std::vector<Tag>{{.key = shapes::stoker::kWaitTag, .value = "true"}};
  return start_all(arguments.count, kMostPerCall, [&](int wanted) {
    if (arguments.count > 1) request.count = wanted;
    return client.call<RunTaskResponse>("RunTask", request).tasks.value_or(std::vector<Task>());
  });
}

// The machine alone decides, also where several have the same name.
StartedTasks start_on(ClusterClient& client, const std::string& definition, const RunArguments& arguments) {
  const std::string machine = *client.find_instance(arguments.machine).containerInstanceArn;
  StartTaskRequest request{.cluster = client.cluster(), .containerInstances = {machine}};
  request.startedBy = "stoker-run";
  request.taskDefinition = definition;
  return start_all(arguments.count, 1, [&](int) {
    return client.call<StartTaskResponse>("StartTask", request).tasks.value_or(std::vector<Task>());
  });
}

}  // namespace

RunDefinition find_or_create(ClusterClient& client, const RegisterTaskDefinitionRequest& wanted) {
  try {
    DescribeTaskDefinitionRequest request{wanted.family, std::vector<std::string>{"TAGS"}};
    const auto latest = client.call<DescribeTaskDefinitionResponse>("DescribeTaskDefinition", request);
    for (const Tag& tag : latest.tags.value_or(std::vector<Tag>())) {
      const bool same = tag.key == kRunTag && tag.value == wanted.tags->front().value;
      if (same) return {*latest.taskDefinition->taskDefinitionArn, false};
    }
  } catch (const wire::ApiError& error) {
    if (error.code() != "ClientException") throw;  // the family does not exist
  }
  const auto created = client.call<RegisterTaskDefinitionResponse>("RegisterTaskDefinition", wanted);
  return {*created.taskDefinition->taskDefinitionArn, true};
}

bool delete_created(ClusterClient& client, const RunDefinition& definition) {
  if (!definition.created) return true;
  try {
    client.call<DeregisterTaskDefinitionResponse>("DeregisterTaskDefinition", DeregisterTaskDefinitionRequest{definition.arn});
    client.call<DeleteTaskDefinitionsResponse>("DeleteTaskDefinitions", DeleteTaskDefinitionsRequest{{definition.arn}});
  } catch (const std::exception&) {
    return false;  // the error that ended the run counts more
  }
  return true;
}

void remove_revision(ClusterClient& client, const RunDefinition& definition, std::ostream& err) {
  if (delete_created(client, definition)) return;
  err << "stoker: the task definition " << family_and_revision(definition.arn) << " could not be removed" << std::endl;
}

StartedTasks start_tasks(ClusterClient& client, const std::string& definition, const RunArguments& arguments) {
  try {
    if (!arguments.machine.empty() && !arguments.wait) return start_on(client, definition, arguments);
    return run_tasks(client, definition, arguments);
  } catch (const wire::ApiError& error) {
    // Amazon's error for a cluster without machines.
    if (error.message().find("No Container Instances") == error.message().npos) throw;
  }
  return {};
}

shapes::stoker::StokerExplainResponse explain_run(ClusterClient& client, const std::string& definition,
                                                  const RunArguments& arguments) {
  shapes::stoker::StokerExplainRequest request{.cluster = client.cluster(), .taskDefinition = family_and_revision(definition)};
  const auto constraints = constraints_of(client, arguments);
  if (!constraints.empty()) request.placementConstraints = constraints;
  return client.call<shapes::stoker::StokerExplainResponse>("StokerExplain", request);
}

}  // namespace cli
