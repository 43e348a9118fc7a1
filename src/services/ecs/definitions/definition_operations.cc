// SPDX-License-Identifier: Apache-2.0
// Registering, describing, deregistering and deleting task definitions.
#include "services/ecs/definitions/definition_operations.h"

#include <fmt/format.h>

#include <algorithm>

#include "services/ecs/arn.h"
#include "services/ecs/definitions/check_task.h"
#include "services/ecs/definitions/definition.h"
#include "services/ecs/definitions/normalize.h"
#include "services/ecs/errors.h"
#include "services/ecs/operations.h"
#include "services/ecs/tags.h"
#include "services/shape_json.h"

namespace services::ecs {
namespace {

constexpr std::size_t kMaxBytes = 65536;
constexpr std::size_t kMaxDeleted = 10;

std::vector<Tag> tags_of(const RegisterTaskDefinitionRequest& request) {
  if (!request.tags) return {};
  if (request.tags->empty()) throw client_error("Tags can not be empty.");
  return add_tags({}, *request.tags);
}

// ECS accepts "" as no role, and deployment tools send it.
RegisterTaskDefinitionRequest without_blank_roles(RegisterTaskDefinitionRequest request) {
  if (request.taskRoleArn == "") request.taskRoleArn.reset();
  if (request.executionRoleArn == "") request.executionRoleArn.reset();
  return request;
}

void check_size(const TaskDefinition& definition) {
  const std::size_t size = to_json(definition).size();
  if (size <= kMaxBytes) return;
  throw client_error(fmt::format("Actual length: '{}'. Max allowed length is '{}' bytes.", size, kMaxBytes));
}

// The revision that DeregisterTaskDefinition names. Its errors differ from DescribeTaskDefinition's.
StoredTaskDefinition revision_to_end(Call& call, const std::string& text) {
  check_revision_number(call.caller, text);
  const auto name = parse_task_definition(call.caller, text);
  if (name && !name->revision) throw client_error("Revision is missing.");
  auto definition = name ? load_task_definition(call, *name) : std::nullopt;
  if (!definition) throw client_error("The specified task definition does not exist.");
  return std::move(*definition);
}

// Why it can't be deleted; nullopt where it can.
std::optional<std::string> why_not_deleted(const std::optional<StoredTaskDefinition>& definition) {
  if (!definition) {
    return "The specified task definition does not exist. Specify a valid account, family, revision and try again.";
  }
  if (definition->status == "ACTIVE") {
    return "The specified task definition is still in ACTIVE status. Please deregister the target and try again.";
  }
  return std::nullopt;
}

}  // namespace

RegisterTaskDefinitionResponse register_task_definition(Call& call, const RegisterTaskDefinitionRequest& original) {
  const RegisterTaskDefinitionRequest request = without_blank_roles(original);
  check_task(request);
  StoredTaskDefinition definition;
  definition.family = request.family;
  definition.status = "ACTIVE";
  definition.tags = tags_of(request);
  definition.registered_at = call.now;
  definition.body = normalized(request);
  definition.body.registeredBy = call.caller.arn();
  check_size(definition.body);
  state::delete_old_definitions(call.tx, call.now);
  definition.revision = state::next_revision(call.tx, family_key(call.caller, definition.family));
  const std::string name = fmt::format("{}:{}", definition.family, definition.revision);
  definition.body.taskDefinitionArn = own_arn(call.caller, "task-definition", name).str();
  insert_task_definition(call, definition);
  RegisterTaskDefinitionResponse response{.taskDefinition = definition.shown()};
  if (request.tags) response.tags = definition.tags;
  return response;
}

DescribeTaskDefinitionResponse describe_task_definition(Call& call, const DescribeTaskDefinitionRequest& request) {
  const StoredTaskDefinition definition = find_task_definition(call, request.taskDefinition);
  const auto include = request.include.value_or(std::vector<std::string>());
  DescribeTaskDefinitionResponse response{.taskDefinition = definition.shown()};
  response.tags.emplace();
  if (std::find(include.begin(), include.end(), "TAGS") != include.end()) response.tags = definition.tags;
  return response;
}

DeregisterTaskDefinitionResponse deregister_task_definition(Call& call,
                                                            const DeregisterTaskDefinitionRequest& request) {
  StoredTaskDefinition definition = revision_to_end(call, request.taskDefinition);
  if (definition.status == "DELETE_IN_PROGRESS") {
    throw client_error("The specified task definition is in the process of being deleted.");
  }
  if (definition.status == "ACTIVE") {
    definition.status = "INACTIVE";
    definition.deregistered_at = call.now;
    update_task_definition(call.tx, definition);
  }
  return {.taskDefinition = definition.shown()};
}

DeleteTaskDefinitionsResponse delete_task_definitions(Call& call, const DeleteTaskDefinitionsRequest& request) {
  if (request.taskDefinitions.empty()) throw invalid_parameter("Task definitions can not be empty.");
  if (request.taskDefinitions.size() > kMaxDeleted) {
    throw invalid_parameter("Task definitions can have at most 10 items.");
  }
  DeleteTaskDefinitionsResponse response;
  response.taskDefinitions.emplace();
  response.failures.emplace();
  for (const std::string& text : request.taskDefinitions) {
    const auto name = parse_task_definition(call.caller, text);
    if (name && !name->revision) throw client_error("Revision is missing.");
    auto definition = name ? load_task_definition(call, *name) : std::nullopt;
    if (auto reason = why_not_deleted(definition)) {
      const bool bare = name && !text.starts_with("arn:");
      response.failures->push_back(
          {.arn = bare ? own_arn(call.caller, "task-definition", text).str() : text, .reason = *reason});
      continue;
    }
    if (definition->status == "INACTIVE") {
      definition->status = "DELETE_IN_PROGRESS";
      definition->delete_requested_at = call.now;
      update_task_definition(call.tx, *definition);
    }
    response.taskDefinitions->push_back(definition->shown());
  }
  return response;
}

std::vector<Operation> definition_operations() {
  return {
      operation<&delete_task_definitions>("DeleteTaskDefinitions", Access::Write),
      operation<&deregister_task_definition>("DeregisterTaskDefinition", Access::Write),
      operation<&describe_task_definition>("DescribeTaskDefinition", Access::Read),
      operation<&register_task_definition>("RegisterTaskDefinition", Access::Write),
  };
}

}  // namespace services::ecs
