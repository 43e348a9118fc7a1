// SPDX-License-Identifier: Apache-2.0
// Lists of task definitions and of their families.
#include "services/ecs/arn.h"
#include "services/ecs/definitions/definition.h"
#include "services/ecs/definitions/definition_operations.h"
#include "services/ecs/errors.h"
#include "services/ecs/operations.h"
#include "services/ecs/page.h"

namespace services::ecs {
namespace {

// The family and revision that a token names.
std::optional<state::Revision> after_of(const Caller& caller, const Page& page) {
  if (page.after.empty()) return std::nullopt;
  auto name = parse_task_definition(caller, page.after);
  if (!name || !name->revision) throw invalid_parameter("Invalid token.");
  return state::Revision{std::move(name->family), *name->revision};
}

}  // namespace

ListTaskDefinitionsResponse list_task_definitions(Call& call, const ListTaskDefinitionsRequest& request) {
  const Page page = page_of(request.maxResults, request.nextToken);
  const std::string family = request.familyPrefix.value_or(""), status = request.status.value_or("ACTIVE");
  const auto revisions = state::list_definitions(call.tx,
                                                 {.account = call.caller.account,
                                                  .region = call.caller.region,
                                                  .status = status,
                                                  .family = family,
                                                  .after = after_of(call.caller, page),
                                                  .descending = request.sort == "DESC",
                                                  .most = page.size + 1},
                                                 call.now);
  std::vector<std::string> names;
  for (const state::Revision& one : revisions) names.push_back(one.family + ":" + std::to_string(one.number));
  ListTaskDefinitionsResponse response;
  response.nextToken = cut_page(names, page);
  response.taskDefinitionArns.emplace();
  for (const std::string& name : names) {
    response.taskDefinitionArns->push_back(own_arn(call.caller, "task-definition", name).str());
  }
  return response;
}

ListTaskDefinitionFamiliesResponse list_task_definition_families(Call& call,
                                                                 const ListTaskDefinitionFamiliesRequest& request) {
  const Page page = page_of(request.maxResults, request.nextToken);
  const std::string prefix = request.familyPrefix.value_or("");
  // Without a status, both kinds are listed.
  const std::string status = request.status.value_or("ALL");
  auto families = state::list_families(call.tx,
                                       {.account = call.caller.account,
                                        .region = call.caller.region,
                                        .prefix = prefix,
                                        .after = page.after,
                                        .active = status != "INACTIVE",
                                        .inactive = status != "ACTIVE",
                                        .most = page.size + 1},
                                       call.now);
  ListTaskDefinitionFamiliesResponse response;
  response.nextToken = cut_page(families, page);
  response.families = std::move(families);
  return response;
}

std::vector<Operation> definition_list_operations() {
  return {
      operation<&list_task_definition_families>("ListTaskDefinitionFamilies", Access::Read),
      operation<&list_task_definitions>("ListTaskDefinitions", Access::Read),
  };
}

}  // namespace services::ecs
