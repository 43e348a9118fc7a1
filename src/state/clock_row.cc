// SPDX-License-Identifier: Apache-2.0
#include "state/clock_row.h"

#include "base/plausible_time.h"

namespace state {

store::Migrations clock_migrations() {
  return {"clock", {"CREATE TABLE server_clock (id INTEGER PRIMARY KEY, at INTEGER NOT NULL)"}};
}

std::optional<base::Time> recorded_time(store::Tx& tx) {
  return tx.query("SELECT at FROM server_clock WHERE id = 1").one([](const store::Row& row) { return row.time(0); });
}

// May go back: when a server starts with a clock that is days earlier. Not by a clock that is not set yet.
void record_time(store::Tx& tx, base::Time now) {
  tx.exec("INSERT INTO server_clock (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at ="
          " CASE WHEN excluded.at < $2 AND server_clock.at > excluded.at THEN server_clock.at ELSE excluded.at END",
          now, base::kFirstPlausibleTime);
}

}  // namespace state
