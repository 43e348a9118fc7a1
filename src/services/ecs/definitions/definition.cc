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

// Rows that one registration removes at most.
constexpr std::int64_t kRemovedAtOnce = 100;

constexpr std::string_view kSelectRevision =
    "SELECT id, family, revision, status, body, tags, registered_at, deregistered_at, delete_requested_at"
    " FROM ecs_task_definitions WHERE account = $1 AND region = $2 AND family = $3 AND revision = $4"
    " AND (delete_requested_at IS NULL OR delete_requested_at > $5)";
constexpr std::string_view kSelectLatest =
    "SELECT id, family, revision, status, body, tags, registered_at, deregistered_at, delete_requested_at"
    " FROM ecs_task_definitions WHERE account = $1 AND region = $2 AND family = $3 AND status = 'ACTIVE'"
    " ORDER BY revision DESC LIMIT 1";

StoredTaskDefinition read_row(const store::Row& row) {
  StoredTaskDefinition definition;
  definition.id = row.integer(0);
  definition.family = row.str(1);
  definition.revision = row.integer(2);
  definition.status = row.str(3);
  definition.body = from_json<TaskDefinition>(row.text(4));
  definition.tags = *from_json<ListTagsForResourceResponse>(row.text(5)).tags;
  definition.registered_at = row.time(6);
  definition.deregistered_at = row.maybe_time(7);
  definition.delete_requested_at = row.maybe_time(8);
  return definition;
}

std::string tags_json(const StoredTaskDefinition& definition) {
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

std::optional<StoredTaskDefinition> load_task_definition(Call& call, const TaskDefinitionName& name) {
  const Caller& caller = call.caller;
  if (!name.revision) return call.tx.query(kSelectLatest, caller.account, caller.region, name.family).one(read_row);
  return call.tx
      .query(kSelectRevision, caller.account, caller.region, name.family, *name.revision, call.now - kDeletionTakes)
      .one(read_row);
}

std::optional<StoredTaskDefinition> load_task_definition(store::Tx& tx, std::int64_t id) {
  return tx
      .query(
          "SELECT id, family, revision, status, body, tags, registered_at, deregistered_at, delete_requested_at"
          " FROM ecs_task_definitions WHERE id = $1",
          id)
      .one(read_row);
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
  // "Revision is missing." is what ECS says where a bare family is given.
  if (name && !name->revision) throw client_error("Revision is missing.");
  return find_task_definition(call, text);
}

std::int64_t next_revision(Call& call, const std::string& family) {
  return call.tx
      .query(
          "INSERT INTO ecs_families (account, region, family, last_revision) VALUES ($1, $2, $3, 1)"
          " ON CONFLICT (account, region, family) DO UPDATE SET last_revision = ecs_families.last_revision + 1"
          " RETURNING last_revision",
          call.caller.account, call.caller.region, family)
      .integer();
}

void insert_task_definition(Call& call, const StoredTaskDefinition& definition) {
  call.tx.exec(
      "INSERT INTO ecs_task_definitions (account, region, family, revision, status, body, tags, registered_at)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
      call.caller.account, call.caller.region, definition.family, definition.revision, definition.status,
      to_json(definition.body), tags_json(definition), definition.registered_at);
}

void update_task_definition(store::Tx& tx, const StoredTaskDefinition& definition) {
  tx.exec(
      "UPDATE ecs_task_definitions SET status = $2, tags = $3, deregistered_at = $4, delete_requested_at = $5"
      " WHERE id = $1",
      definition.id, definition.status, tags_json(definition), definition.deregistered_at,
      definition.delete_requested_at);
}

void remove_deleted(Call& call) {
  call.tx.exec(
      "DELETE FROM ecs_task_definitions WHERE id IN (SELECT id FROM ecs_task_definitions"
      " WHERE delete_requested_at IS NOT NULL AND delete_requested_at <= $1"
      " AND NOT EXISTS (SELECT 1 FROM ecs_launches l WHERE l.definition = ecs_task_definitions.id)"
      " ORDER BY delete_requested_at, id LIMIT $2)",
      call.now - kDeletionTakes, kRemovedAtOnce);
}

}  // namespace services::ecs
