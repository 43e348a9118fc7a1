// SPDX-License-Identifier: Apache-2.0
// Brings a database's tables to the versions that this program knows.
#pragma once

#include <string>
#include <vector>

#include "store/store.h"

namespace store {

// A statement of a migration in the engine's own words.
using Translate = std::string (*)(std::string_view statement);

// Within `tx`, so that a crash leaves all as it was. Throws Error (Other) when a
// newer program has written `place` ("the data folder /x").
void migrate(Tx& tx, const std::string& place, const std::vector<Migrations>& migrations, Translate translate);

}  // namespace store
