// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_writer.h"

#include "base/check.h"
#include "store/sqlite_wal_buffer.h"

namespace store {

// The transaction begins with the first statement that writes, so that works that only read cost no sync.
std::int64_t SqliteWriter::run(std::string_view sql, std::span<const Param> params, const EachRow& each) {
  rethrow_failure();
  try {
    auto statement = connection_.prepare(sql);
    if (statement.writes() && !writing()) {
      if (!begun()) execute("BEGIN IMMEDIATE");
      set_begun();
      set_writing();
    }
    return statement.run(params, each);
  } catch (const Error&) {
    set_failure(begun() && connection_.autocommit());
    throw;
  }
}

std::int64_t SqliteWriter::run_insert(std::string_view sql, std::span<const Param> params) {
  const std::int64_t rows = run(sql, params, nullptr);
  CHECK(rows == 1) << "not an insert of one row: " << sql;
  return sqlite3_last_insert_rowid(connection_.handle());
}

void SqliteWriter::commit_transaction() { execute("COMMIT"); }

void SqliteWriter::roll_back() {
  forget_unwritten(connection_.handle());
  if (connection_.autocommit()) return;
  try {
    execute("ROLLBACK");
  } catch (const Error& error) {
    // All later works would join a transaction that was reported as failed.
    CHECK(false) << "cannot roll back: " << error.what();
  }
}

void SqliteWriter::execute(const char* sql) { connection_.prepare(sql).run({}, nullptr); }

}  // namespace store
