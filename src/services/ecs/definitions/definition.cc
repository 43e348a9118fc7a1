// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/definitions/definition.h"

#include <charconv>

#include "services/ecs/arn.h"
#include "services/ecs/errors.h"
#include "services/shape_json.h"

namespace services::ecs {
namespace {

using shapes::ecs::ListTagsForResourceResponse;
using shapes::ecs::TaskDefinition;

std::optional<StoredTaskDefinition> parsed_definition(std::optional<state::Definition> row) {
  if (!row) return std::nullopt;
  StoredTaskDefinition definition;
  definition.body = from_json<TaskDefinition>(row->body_json);
  definition.tags = *from_json<ListTagsForResourceResponse>(row->tags_json).tags;
  static_cast<state::Definition&>(definition) = std::move(*row);
  return definition;
}

std::string definition_tags_json(const StoredTaskDefinition& definition) {
  return to_json(ListTagsForResourceResponse{definition.tags});
}

}  // namespace

TaskDefinition StoredTaskDefinition::shown() const {
  TaskDefinition out = body;
  out.family = family;
  out.revision = static_cast<std::int32_t>(revision);
  out.status = status;
  out.registeredAt = registered_at;
  out.deregisteredAt = deregistered_at;
  out.deleteRequestedAt = delete_requested_at;
  return out;
}

std::optional<TaskDefinitionName> parse_task_definition(const Caller& caller, std::string_view text) {
  std::optional<Arn> arn;
  if (text.starts_with("arn:")) {
    arn = parse_arn(text);
    if (!arn || !arn->belongs_to(caller) || arn->type != "task-definition") return std::nullopt;
    text = arn->name;
  }
  const std::size_t colon = text.find(':');
  TaskDefinitionName name{std::string(text.substr(0, colon)), std::nullopt};
  if (!plain_name(name.family)) return std::nullopt;
  if (colon == text.npos) return name;
  const std::string_view digits = text.substr(colon + 1);
  std::int64_t revision = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), revision);
  if (error != std::errc() || end != digits.data() + digits.size() || revision < 1) return std::nullopt;
  name.revision = revision;
  return name;
}

state::FamilyKey family_key(const Caller& caller, const std::string& family) {
  return {caller.account, caller.region, family};
}

std::optional<StoredTaskDefinition> load_task_definition(Call& call, const TaskDefinitionName& name) {
  const state::FamilyKey key = family_key(call.caller, name.family);
  return parsed_definition(name.revision ? state::find_definition(call.tx, key, *name.revision, call.now)
                                         : state::find_definition(call.tx, key));
}

std::optional<StoredTaskDefinition> load_task_definition(store::Tx& tx, state::DefinitionNumber number) {
  return parsed_definition(state::find_definition(tx, number));
}

StoredTaskDefinition find_task_definition(Call& call, const std::string& text) {
  if (text.empty()) throw client_error("Task definition should not be null or empty.");
  const auto name = parse_task_definition(call.caller, text);
  auto definition = name ? load_task_definition(call, *name) : std::nullopt;
  if (!definition) throw no_task_definition();
  return std::move(*definition);
}

void check_revision_number(const Caller& caller, const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos || text.starts_with("arn:") || parse_task_definition(caller, text)) return;
  throw invalid_parameter("Invalid revision number. Number: " + text.substr(colon + 1));
}

StoredTaskDefinition find_revision(Call& call, const std::string& text) {
  const auto name = parse_task_definition(call.caller, text);
  // ECS's own words for a family without a revision.
  if (name && !name->revision) throw client_error("Revision is missing.");
  return find_task_definition(call, text);
}

void insert_task_definition(Call& call, StoredTaskDefinition& definition) {
  definition.body_json = to_json(definition.body);
  definition.tags_json = definition_tags_json(definition);
  state::insert_definition(call.tx, family_key(call.caller, definition.family), definition);
}

void update_task_definition(store::Tx& tx, StoredTaskDefinition& definition) {
  definition.tags_json = definition_tags_json(definition);
  state::update_definition(tx, definition);
}

}  // namespace services::ecs
