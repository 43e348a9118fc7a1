// SPDX-License-Identifier: Apache-2.0
// Upgrades a database's tables to the versions of this program.
#pragma once

#include <string>
#include <vector>

#include "store/store.h"

namespace store {

// Translates a statement of a migration to the engine's dialect.
using Translate = std::string (*)(std::string_view statement);

// In one transaction, so that a crash changes nothing. Throws Error (Other) if a newer program has written `place`
// ("the data folder /x").
void migrate(Tx& tx, const std::string& place, const std::vector<Migrations>& migrations, Translate translate);

}  // namespace store
