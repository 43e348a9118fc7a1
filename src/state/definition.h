// SPDX-License-Identifier: Apache-2.0
// Task definitions: revisions of a family.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "state/row_number.h"
#include "store/store.h"

namespace state {

// A revision that is being deleted is described for an hour, as long as Amazon takes at most to check that
// nothing refers to it. Nothing runs when that hour ends: queries skip such rows, and the next registration
// deletes them, unless a task or a deployment of a service still refers to them.
inline constexpr base::Duration kDeletionTakes = std::chrono::hours(1);

struct Definition {
  DefinitionNumber number{};
  std::string family;
  std::int64_t revision = 0;
  std::string status;  // ACTIVE, INACTIVE, DELETE_IN_PROGRESS
  std::string body_json, tags_json;  // only their writer interprets them
  base::Time registered_at;
  std::optional<base::Time> deregistered_at, delete_requested_at;
};

struct FamilyKey {
  std::string_view account, region, family;
};

// The latest ACTIVE revision.
std::optional<Definition> find_definition(store::Tx& tx, const FamilyKey& key);
std::optional<Definition> find_definition(store::Tx& tx, const FamilyKey& key, std::int64_t revision, base::Time now);
// A task or a deployment keeps its revision, even where it is deleted for everybody else.
std::optional<Definition> find_definition(store::Tx& tx, DefinitionNumber number);

// Reserves the number of the family's next revision.
std::int64_t next_revision(store::Tx& tx, const FamilyKey& key);
void insert_definition(store::Tx& tx, const FamilyKey& key, const Definition& definition);
// Writes what may change: status, tags, times.
void update_definition(store::Tx& tx, const Definition& definition);
// Deletes rows whose hour is over, a limited number of them.
void delete_old_definitions(store::Tx& tx, base::Time now);

struct Revision {
  std::string family;
  std::int64_t number = 0;
};
struct DefinitionFilter {
  std::string_view account, region;
  std::string_view status;
  std::string_view family = {};           // "": any
  std::optional<Revision> after = {};     // from the first after it in this order
  bool descending = false;
  std::int64_t most = 0;
};
// By family, then by number: "web:10" comes after "web:9".
std::vector<Revision> list_definitions(store::Tx& tx, const DefinitionFilter& filter, base::Time now);

struct FamilyFilter {
  std::string_view account, region;
  std::string_view prefix, after;
  bool active = true, inactive = true;  // a family is active while one of its revisions is
  std::int64_t most = 0;
};
std::vector<std::string> list_families(store::Tx& tx, const FamilyFilter& filter, base::Time now);

}  // namespace state
