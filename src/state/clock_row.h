// SPDX-License-Identifier: Apache-2.0
// The server's time in its database: a server that starts with an earlier clock continues from it.
#pragma once

#include <optional>

#include "store/store.h"

namespace state {

store::Migrations clock_migrations();
std::optional<base::Time> recorded_time(store::Tx& tx);
void record_time(store::Tx& tx, base::Time now);

}  // namespace state
