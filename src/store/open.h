// SPDX-License-Identifier: Apache-2.0
// Opens the database of a server.
#pragma once

#include "base/disk_space.h"
#include "store/store.h"

namespace store {

struct OpenOptions {
  base::DiskSpace* space = nullptr;  // outlives the store; for SQLite only
  // Go on without the writes that a damaged log has lost. It is kept beside the database.
  bool drop_damaged_log = false;
};

// SQLite in `folder`, or with a `url`, that PostgreSQL database. Locks the folder in both cases: it holds more
// than the database.
std::unique_ptr<Store> open(const std::string& folder, const std::string& url,
                            const std::vector<Migrations>& migrations, const OpenOptions& options);
std::unique_ptr<Store> open_sqlite(const std::string& folder, const std::vector<Migrations>& migrations,
                                   const OpenOptions& options);

}  // namespace store
