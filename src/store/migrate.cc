// SPDX-License-Identifier: Apache-2.0
#include "store/migrate.h"

#include <algorithm>
#include <map>

#include "store/sql_text.h"

namespace store {
namespace {

using Versions = std::map<std::string, std::int64_t>;

Versions read_versions(Tx& tx) {
  Versions versions;
  tx.query("SELECT module, version FROM schema_versions").each([&](const Row& row) {
    versions[row.str(0)] = row.integer(1);
  });
  return versions;
}

// An older program could misread or destroy the data of a newer one.
void reject_newer(const std::string& place, const Versions& found, const std::vector<Migrations>& known) {
  for (const auto& entry : found) {
    const auto& [module, version] = entry;
    auto ours = std::find_if(known.begin(), known.end(), [&](const Migrations& m) { return m.module == entry.first; });
    std::string newer = place + " was written by a newer Stoker: its " + module + " tables are version " +
                        std::to_string(version) + ", this program supports ";
    if (ours == known.end()) throw Error(ErrorKind::Other, newer + "no such tables");
    if (version > std::ssize(ours->steps)) throw Error(ErrorKind::Other, newer + std::to_string(ours->steps.size()));
  }
}

}  // namespace

void migrate(Tx& tx, const std::string& place, const std::vector<Migrations>& migrations, Translate translate) {
  tx.exec(translate("CREATE TABLE IF NOT EXISTS schema_versions (module TEXT PRIMARY KEY, version INTEGER NOT NULL)"));
  Versions found = read_versions(tx);
  reject_newer(place, found, migrations);
  for (const auto& [module, steps] : migrations) {
    auto version = found[module];
    if (version == std::ssize(steps)) continue;
    for (; version < std::ssize(steps); ++version) {
      for (const std::string& statement : split_statements(steps[static_cast<std::size_t>(version)])) {
        tx.exec(translate(statement));
      }
    }
    tx.exec(
        "INSERT INTO schema_versions (module, version) VALUES ($1, $2) "
        "ON CONFLICT (module) DO UPDATE SET version = excluded.version",
        module, version);
  }
}

}  // namespace store
