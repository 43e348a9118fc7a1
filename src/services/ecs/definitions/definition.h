// SPDX-License-Identifier: Apache-2.0
// A revision of a task definition: its row, and how requests name it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/call.h"
#include "shapes/ecs/tag.h"
#include "shapes/ecs/task_definition.h"

namespace services::ecs {

// A revision that is being deleted is described for an hour, as Amazon takes up to one to
// make sure that nothing refers to it, and is gone then. Nothing runs at that moment: what
// is past it is passed over by every query, and the next registration removes the row, unless
// a task still refers to it.
inline constexpr base::Duration kDeletionTakes = std::chrono::hours(1);

struct StoredTaskDefinition {
  std::int64_t id = 0;
  std::string family;
  std::int64_t revision = 0;
  std::string status;  // ACTIVE, INACTIVE, DELETE_IN_PROGRESS
  shapes::ecs::TaskDefinition body;
  std::vector<shapes::ecs::Tag> tags;
  base::Time registered_at;
  std::optional<base::Time> deregistered_at, delete_requested_at;

  // As the client sees it.
  shapes::ecs::TaskDefinition shown() const;
};

struct TaskDefinitionName {
  std::string family;
  std::optional<std::int64_t> revision;
};

// "web", "web:3" or an ARN; nullopt for another account's or region's ARN, or nonsense.
std::optional<TaskDefinitionName> parse_task_definition(const Caller& caller, std::string_view text);

// The revision that is named or, where only a family is, its latest ACTIVE one.
std::optional<StoredTaskDefinition> load_task_definition(Call& call, const TaskDefinitionName& name);
// Of a task: it keeps its revision, whatever becomes of that for others.
std::optional<StoredTaskDefinition> load_task_definition(store::Tx& tx, std::int64_t id);
// As its name says; throws ClientException where there is none.
StoredTaskDefinition find_task_definition(Call& call, const std::string& text);
// Throws InvalidParameterException where what follows the family is no number.
void check_revision_number(const Caller& caller, const std::string& text);
// For requests that must name a revision.
StoredTaskDefinition find_revision(Call& call, const std::string& text);

// The number that the family's next revision has; it is used up.
std::int64_t next_revision(Call& call, const std::string& family);
void insert_task_definition(Call& call, const StoredTaskDefinition& definition);
// Writes what may change: status, tags, times.
void update_task_definition(store::Tx& tx, const StoredTaskDefinition& definition);
void remove_deleted(Call& call);

}  // namespace services::ecs
