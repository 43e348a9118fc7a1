// SPDX-License-Identifier: Apache-2.0
// Group commit on PostgreSQL, and the lock that keeps a second server out of the database.
//
// All writes of a server go through one connection, one after another, as on SQLite: memory that follows the
// database (fleets, key rings) changes in the order of the commits. That connection's session holds an
// advisory lock, so a session without the lock cannot write. When the connection breaks, its transaction and
// its lock end with it; the next batch connects, takes the lock again, and compares the epoch, which every
// server increments when it starts. If another server has been here, memory is out of date: the process exits.
#pragma once

#include <string>
#include <vector>

#include "store/group_commit.h"
#include "store/postgres_connection.h"

namespace store {

class PostgresWriter final : public GroupCommit {
 public:
  // Locks the database, or throws Error (Busy) naming it and its holder; then migrates it.
  PostgresWriter(const std::string& target, const std::vector<Migrations>& migrations);

  std::int64_t run(std::string_view sql, std::span<const Param> params, const EachRow& each) override;

 private:
  void execute(const char* sql) override { connection_.execute(sql); }
  void commit_transaction() override;
  void roll_back() override { connection_.rollback(); }

  void migrate_tables(const std::vector<Migrations>& migrations);
  void lock(PostgresConnection& connection);
  // Learns after a broken connection whether the last batch was committed.
  bool batch_was_committed();

  PostgresConnection connection_;
  std::int64_t epoch_ = 0;  // 0: starting
  std::int64_t batch_ = 0;  // number of the last transaction that wrote
  bool wrote_ = false;      // in this transaction
};

}  // namespace store
