// SPDX-License-Identifier: Apache-2.0
// Saved queries. Their text is checked when it is run, as by Amazon.
#include "base/random.h"
#include "services/logs/errors.h"
#include "services/logs/group.h"
#include "services/logs/operations.h"
#include "services/logs/patterns/json_tape.h"
#include "shapes/logs/query.h"
#include "wire/json.h"

namespace services::logs {
using namespace shapes::logs;
namespace {

constexpr std::int64_t kMaxDefinitions = 1000;  // of an account and region
constexpr std::size_t kMaxGroupsOfDefinition = 50;
constexpr char kMissingDefinition[] = "The specified query definition does not exist.";

void check_texts(const PutQueryDefinitionRequest& request) {
  const std::string empty;
  for (const std::string* text : {&request.name, &request.queryString, request.clientToken ? &*request.clientToken : &empty,
                                  request.queryDefinitionId ? &*request.queryDefinitionId : &empty}) {
    if (text->find('\0') != std::string::npos) throw invalid_parameter("A query definition must not contain zero bytes.");
  }
}

std::string names_json(const std::optional<std::vector<std::string>>& names) {
  if (!names) return "";
  std::string out = "[";
  for (const std::string& name : *names) {
    check_group_name(name);
    if (out.size() > 1) out += ',';
    wire::write_json_string(name, out);
  }
  return out + "]";
}

std::optional<std::vector<std::string>> parse_names(std::string_view text) {
  JsonTape tape;
  if (text.empty() || !tape.parse(text)) return std::nullopt;
  std::vector<std::string> names;
  tape.each_child(0, [&](std::uint32_t child) { names.emplace_back(tape.node(child).text); });
  return names;
}

PutQueryDefinitionResponse put_query_definition(Call& call, const PutQueryDefinitionRequest& request) {
  if (request.queryLanguage && *request.queryLanguage != "CWLI") {
    throw unsupported("the query language " + *request.queryLanguage);
  }
  if (request.parameters && !request.parameters->empty()) throw unsupported("parameters of query definitions");
  if (request.logGroupNames && request.logGroupNames->size() > kMaxGroupsOfDefinition) {
    throw invalid_parameter("A query definition has at most 50 log groups.");
  }
  check_texts(request);
  const std::string groups = names_json(request.logGroupNames);
  const Caller& caller = call.caller;
  if (request.queryDefinitionId) {
    const auto changed = call.tx.exec(
        "UPDATE logs_query_definitions SET name = $4, query = $5, groups = $6, modified_at = $7"
        " WHERE id = $1 AND account = $2 AND region = $3",
        *request.queryDefinitionId, caller.account, caller.region, request.name, request.queryString, groups, call.now);
    if (changed == 0) throw wire::ApiError("ResourceNotFoundException", kMissingDefinition);
    return {.queryDefinitionId = request.queryDefinitionId};
  }
  // A repeated request has made its definition already.
  const auto known = call.tx
                         .query("SELECT id FROM logs_query_definitions WHERE account = $1 AND region = $2 AND client_token = $3",
                                caller.account, caller.region, request.clientToken)
                         .one([](const store::Row& row) { return row.str(0); });
  if (known) return {.queryDefinitionId = known};
  const auto count = call.tx.query("SELECT count(*) FROM logs_query_definitions WHERE account = $1 AND region = $2",
                                   caller.account, caller.region).integer();
  if (count >= kMaxDefinitions) throw resource_limit_exceeded();
  const std::string id = base::random_uuid();
  call.tx.exec("INSERT INTO logs_query_definitions (id, account, region, name, query, groups, client_token, modified_at)"
               " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
               id, caller.account, caller.region, request.name, request.queryString, groups, request.clientToken, call.now);
  return {.queryDefinitionId = id};
}

// "<id> <name>" of the last definition of a page.
struct DefinitionPlace {
  std::string id, name;
};

DefinitionPlace parse_definition_token(const std::optional<std::string>& token) {
  if (!token) return {};
  const std::size_t space = token->find(' ');
  if (space == std::string::npos || token->find('\0') != std::string::npos) throw invalid_token();
  return {token->substr(0, space), token->substr(space + 1)};
}

DescribeQueryDefinitionsResponse describe_query_definitions(Call& call, const DescribeQueryDefinitionsRequest& request) {
  const std::string prefix = request.queryDefinitionNamePrefix.value_or("");
  if (prefix.find('\0') != std::string::npos) throw invalid_parameter("Invalid queryDefinitionNamePrefix.");
  const DefinitionPlace after = parse_definition_token(request.nextToken);
  const auto most = static_cast<std::size_t>(request.maxResults.value_or(static_cast<std::int32_t>(kMaxDefinitions)));
  DescribeQueryDefinitionsResponse response;
  auto& list = response.queryDefinitions.emplace();
  if (request.queryLanguage && *request.queryLanguage != "CWLI") return response;
  bool more = false;
  call.tx
      .query("SELECT id, name, query, groups, modified_at FROM logs_query_definitions WHERE account = $1 AND region = $2"
             " AND name >= $3 AND (name > $4 OR (name = $4 AND id > $5)) ORDER BY name, id LIMIT $6",
             call.caller.account, call.caller.region, prefix, after.name, after.id, most + 1)
      .each([&](const store::Row& row) {
        if (!row.text(1).starts_with(prefix)) return;
        more = list.size() == most;
        if (more) return;
        QueryDefinition& definition = list.emplace_back();
        definition.queryLanguage = "CWLI";
        definition.queryDefinitionId = row.str(0);
        definition.name = row.str(1);
        definition.queryString = row.str(2);
        definition.logGroupNames = parse_names(row.text(3));
        definition.lastModified = row.integer(4);
      });
  if (more) response.nextToken = *list.back().queryDefinitionId + " " + *list.back().name;
  return response;
}

DeleteQueryDefinitionResponse delete_query_definition(Call& call, const DeleteQueryDefinitionRequest& request) {
  if (request.queryDefinitionId.find('\0') != std::string::npos) throw wire::ApiError("ResourceNotFoundException", kMissingDefinition);
  const auto deleted =
      call.tx.exec("DELETE FROM logs_query_definitions WHERE id = $1 AND account = $2 AND region = $3",
                   request.queryDefinitionId, call.caller.account, call.caller.region);
  if (deleted == 0) throw wire::ApiError("ResourceNotFoundException", kMissingDefinition);
  return {.success = true};
}

}  // namespace

std::vector<Operation> query_definition_operations() {
  return {
      operation<&put_query_definition>("PutQueryDefinition", Access::Write),
      operation<&describe_query_definitions>("DescribeQueryDefinitions", Access::Read),
      operation<&delete_query_definition>("DeleteQueryDefinition", Access::Write),
  };
}

}  // namespace services::logs
