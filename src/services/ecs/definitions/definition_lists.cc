// SPDX-License-Identifier: Apache-2.0
// Lists of task definitions and of their families.
#include <fmt/format.h>

#include "services/ecs/arn.h"
#include "services/ecs/definitions/definition.h"
#include "services/ecs/definitions/definition_operations.h"
#include "services/ecs/errors.h"
#include "services/ecs/operations.h"
#include "services/ecs/page.h"

namespace services::ecs {
namespace {

// By family, then by number: "web:10" comes after "web:9". Rows after the one that $6 and
// $7 name, or from the start where $5 is 0.
std::string list_sql(bool descending) {
  const char* after = descending ? "<" : ">";
  const char* order = descending ? "DESC" : "ASC";
  return fmt::format(
      "SELECT family, revision FROM ecs_task_definitions WHERE account = $1 AND region = $2 AND status = $3"
      " AND (delete_requested_at IS NULL OR delete_requested_at > $4)"
      " AND ($5 = 0 OR family {0} $6 OR (family = $6 AND revision {0} $7))"
      " AND ($8 = 0 OR family = $9) ORDER BY family {1}, revision {1} LIMIT $10",
      after, order);
}

// The family and revision that a token names.
TaskDefinitionName after_of(const Caller& caller, const Page& page) {
  if (page.after.empty()) return {"", 0};
  auto name = parse_task_definition(caller, page.after);
  if (!name || !name->revision) throw invalid_parameter("Invalid token.");
  return *name;
}

}  // namespace

ListTaskDefinitionsResponse list_task_definitions(Call& call, const ListTaskDefinitionsRequest& request) {
  const Page page = page_of(request.maxResults, request.nextToken);
  const TaskDefinitionName after = after_of(call.caller, page);
  const std::string family = request.familyPrefix.value_or("");
  auto names = call.tx
                   .query(list_sql(request.sort.value_or("ASC") == "DESC"), call.caller.account, call.caller.region,
                          request.status.value_or("ACTIVE"), call.now - kDeletionTakes, !page.after.empty(),
                          after.family, *after.revision, !family.empty(), family, page.size + 1)
                   .all([](const store::Row& row) { return row.str(0) + ":" + std::to_string(row.integer(1)); });
  ListTaskDefinitionsResponse response;
  response.nextToken = cut(names, page);
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
  // A family is active while one of its revisions is. Unless asked, both kinds are listed.
  const std::string status = request.status.value_or("ALL");
  // Names have nothing above 'z', so that this is past all that start with the prefix.
  const std::string past = prefix + '\x7f';
  auto families = call.tx
                      .query(
                          "SELECT family FROM ecs_task_definitions WHERE account = $1 AND region = $2"
                          " AND (delete_requested_at IS NULL OR delete_requested_at > $3)"
                          " AND family > $4 AND family >= $5 AND family < $6 GROUP BY family"
                          " HAVING max(CASE WHEN status = 'ACTIVE' THEN 1 ELSE 0 END) BETWEEN $7 AND $8"
                          " ORDER BY family LIMIT $9",
                          call.caller.account, call.caller.region, call.now - kDeletionTakes, page.after, prefix, past,
                          status == "ACTIVE", status != "INACTIVE", page.size + 1)
                      .all([](const store::Row& row) { return row.str(0); });
  ListTaskDefinitionFamiliesResponse response;
  response.nextToken = cut(families, page);
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
