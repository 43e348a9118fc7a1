// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_writer.h"

#include "base/check.h"
#include "store/sqlite_wal_buffer.h"
#include "store/work_time.h"

namespace store {

SqliteWriter::SqliteWriter(SqliteConnection& connection, std::chrono::milliseconds most_time)
    : connection_(connection), most_time_(most_time) {
  auto over_time = [](void* self) {
    const auto& writer = *static_cast<SqliteWriter*>(self);
    return writer.limited_ && thread_time() - writer.started_ > writer.most_time_ ? 1 : 0;
  };
  sqlite3_progress_handler(connection_.handle(), kStepsBetweenLooks, over_time, this);
}

SqliteWriter::~SqliteWriter() { sqlite3_progress_handler(connection_.handle(), 0, nullptr, nullptr); }

void SqliteWriter::starting(const Job& job) {
  limited_ = !job.account.empty();
  if (limited_) started_ = thread_time();
}

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
