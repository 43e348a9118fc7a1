// SPDX-License-Identifier: Apache-2.0
#include "state/definition.h"

namespace state {
namespace {

constexpr std::int64_t kDeletedAtOnce = 100;

const std::string kSelectDefinition =
    "SELECT id, family, revision, status, body, tags, registered_at, deregistered_at, delete_requested_at"
    " FROM ecs_task_definitions";

Definition read_definition(const store::Row& row) {
  Definition definition;
  definition.number = DefinitionNumber(row.integer(0));
  definition.family = row.str(1);
  definition.revision = row.integer(2);
  definition.status = row.str(3);
  definition.body_json = row.str(4);
  definition.tags_json = row.str(5);
  definition.registered_at = row.time(6);
  definition.deregistered_at = row.maybe_time(7);
  definition.delete_requested_at = row.maybe_time(8);
  return definition;
}

// Rows after the one that $6 and $7 name, or from the start where $5 is 0.
std::string list_sql(bool descending) {
  const std::string after = descending ? "<" : ">", order = descending ? "DESC" : "ASC";
  return "SELECT family, revision FROM ecs_task_definitions WHERE account = $1 AND region = $2 AND status = $3"
         " AND (delete_requested_at IS NULL OR delete_requested_at > $4)"
         " AND ($5 = 0 OR family " + after + " $6 OR (family = $6 AND revision " + after + " $7))"
         " AND ($8 = 0 OR family = $9) ORDER BY family " + order + ", revision " + order + " LIMIT $10";
}

}  // namespace

std::optional<Definition> find_definition(store::Tx& tx, const FamilyKey& key) {
  static const std::string sql = kSelectDefinition +
                                 " WHERE account = $1 AND region = $2 AND family = $3 AND status = 'ACTIVE'"
                                 " ORDER BY revision DESC LIMIT 1";
  return tx.query(sql, key.account, key.region, key.family).one(read_definition);
}

std::optional<Definition> find_definition(store::Tx& tx, const FamilyKey& key, std::int64_t revision, base::Time now) {
  static const std::string sql = kSelectDefinition +
                                 " WHERE account = $1 AND region = $2 AND family = $3 AND revision = $4"
                                 " AND (delete_requested_at IS NULL OR delete_requested_at > $5)";
  return tx.query(sql, key.account, key.region, key.family, revision, now - kDeletionTakes).one(read_definition);
}

std::optional<Definition> find_definition(store::Tx& tx, DefinitionNumber number) {
  static const std::string sql = kSelectDefinition + " WHERE id = $1";
  return tx.query(sql, number).one(read_definition);
}

std::int64_t next_revision(store::Tx& tx, const FamilyKey& key) {
  return tx
      .query(
          "INSERT INTO ecs_families (account, region, family, last_revision) VALUES ($1, $2, $3, 1)"
          " ON CONFLICT (account, region, family) DO UPDATE SET last_revision = ecs_families.last_revision + 1"
          " RETURNING last_revision",
          key.account, key.region, key.family)
      .integer();
}

void insert_definition(store::Tx& tx, const FamilyKey& key, const Definition& definition) {
  tx.exec(
      "INSERT INTO ecs_task_definitions (account, region, family, revision, status, body, tags, registered_at)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
      key.account, key.region, key.family, definition.revision, definition.status, definition.body_json,
      definition.tags_json, definition.registered_at);
}

void update_definition(store::Tx& tx, const Definition& definition) {
  tx.exec(
      "UPDATE ecs_task_definitions SET status = $2, tags = $3, deregistered_at = $4, delete_requested_at = $5"
      " WHERE id = $1",
      definition.number, definition.status, definition.tags_json, definition.deregistered_at,
      definition.delete_requested_at);
}

void delete_old_definitions(store::Tx& tx, base::Time now) {
  tx.exec(
      "DELETE FROM ecs_task_definitions WHERE id IN (SELECT id FROM ecs_task_definitions"
      " WHERE delete_requested_at IS NOT NULL AND delete_requested_at <= $1"
      " AND NOT EXISTS (SELECT 1 FROM ecs_launches l WHERE l.definition = ecs_task_definitions.id)"
      " AND NOT EXISTS (SELECT 1 FROM ecs_deployments s WHERE s.definition = ecs_task_definitions.id)"
      " ORDER BY delete_requested_at, id LIMIT $2)",
      now - kDeletionTakes, kDeletedAtOnce);
}

std::vector<Revision> list_definitions(store::Tx& tx, const DefinitionFilter& filter, base::Time now) {
  const Revision after = filter.after.value_or(Revision());
  return tx
      .query(list_sql(filter.descending), filter.account, filter.region, filter.status, now - kDeletionTakes,
             filter.after.has_value(), after.family, after.number, !filter.family.empty(), filter.family, filter.most)
      .all([](const store::Row& row) { return Revision{row.str(0), row.integer(1)}; });
}

std::vector<std::string> list_families(store::Tx& tx, const FamilyFilter& filter, base::Time now) {
  // Names have no character above 'z', so this is past all that start with the prefix.
  const std::string past = std::string(filter.prefix) + '\x7f';
  return tx
      .query(
          "SELECT family FROM ecs_task_definitions WHERE account = $1 AND region = $2"
          " AND (delete_requested_at IS NULL OR delete_requested_at > $3)"
          " AND family > $4 AND family >= $5 AND family < $6 GROUP BY family"
          " HAVING max(CASE WHEN status = 'ACTIVE' THEN 1 ELSE 0 END) BETWEEN $7 AND $8"
          " ORDER BY family LIMIT $9",
          filter.account, filter.region, now - kDeletionTakes, filter.after, filter.prefix, past, !filter.inactive,
          filter.active, filter.most)
      .all([](const store::Row& row) { return row.str(0); });
}

}  // namespace state
