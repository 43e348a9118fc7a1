// SPDX-License-Identifier: Apache-2.0
// SQLite files apart from a store: copies of databases, for backups.
#pragma once

#include <string>
#include <vector>

#include "store/store.h"

namespace store {

// Who else uses the database that is copied: a server, nobody, or nobody ever because it is a copy itself.
enum class Source { Live, Closed, Copy };
// Copies one snapshot of the database to `to`, which must not exist. The copy has no log, and is durable.
void copy_database(const std::string& from, Source source, const std::string& to);
// Runs `work` on a copy.
void read_database(const std::string& path, const Store::Work& work);
// What is wrong with the structure of a copy.
std::vector<std::string> check_database(const std::string& path);

}  // namespace store
