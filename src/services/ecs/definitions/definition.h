// SPDX-License-Identifier: Apache-2.0
// Task definitions: how requests name them, and how they are shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/call.h"
#include "shapes/ecs/tag.h"
#include "shapes/ecs/task_definition.h"
#include "state/definition.h"

namespace services::ecs {

// With its JSON parsed.
struct StoredTaskDefinition : state::Definition {
  shapes::ecs::TaskDefinition body;
  std::vector<shapes::ecs::Tag> tags;

  // As the client sees it.
  shapes::ecs::TaskDefinition shown() const;
};

struct TaskDefinitionName {
  std::string family;
  std::optional<std::int64_t> revision;
};

// "web", "web:3" or an ARN; nullopt for another account's or region's ARN, or an invalid name.
std::optional<TaskDefinitionName> parse_task_definition(const Caller& caller, std::string_view text);

// The named revision or, where only a family is named, its latest ACTIVE one.
std::optional<StoredTaskDefinition> load_task_definition(Call& call, const TaskDefinitionName& name);
std::optional<StoredTaskDefinition> load_task_definition(store::Tx& tx, state::DefinitionNumber number);
// Throws ClientException where it does not exist.
StoredTaskDefinition find_task_definition(Call& call, const std::string& text);
// Throws InvalidParameterException where the revision is not a number.
void check_revision_number(const Caller& caller, const std::string& text);
// For requests that must name a revision.
StoredTaskDefinition find_revision(Call& call, const std::string& text);

state::FamilyKey family_key(const Caller& caller, const std::string& family);
void insert_task_definition(Call& call, StoredTaskDefinition& definition);
// Writes what may change: status, tags, times.
void update_task_definition(store::Tx& tx, StoredTaskDefinition& definition);

}  // namespace services::ecs
