// SPDX-License-Identifier: Apache-2.0
#include "store/postgres_writer.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/bytes.h"
#include "base/log.h"
#include "store/migrate.h"
#include "store/postgres_row.h"
#include "store/sql_text.h"

namespace store {
namespace {

// Long enough for the session of a server that was killed to end; a live one keeps the lock.
constexpr const char* kLimitLockWait = "SET lock_timeout = '2s'";
// One lock for each schema, so that a database can hold several installations. The first number identifies
// Stoker ("stok").
constexpr const char* kLock = "SELECT pg_advisory_lock(1937010539, hashtext(coalesce(current_schema(), '')))";
constexpr const char* kLockHolder =
    "SELECT a.pid, coalesce(host(a.client_addr), 'the same machine') FROM pg_locks l"
    " JOIN pg_stat_activity a ON a.pid = l.pid"
    " WHERE l.locktype = 'advisory' AND l.granted AND l.classid::bigint = 1937010539"
    " AND l.objid::bigint = hashtext(coalesce(current_schema(), ''))::bigint & 4294967295"
    " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())";

constexpr const char* kServerTable =
    "CREATE TABLE IF NOT EXISTS store_server (id INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, batch INTEGER NOT NULL)";

constexpr const char* kBeginWrite = "BEGIN ISOLATION LEVEL REPEATABLE READ";

constexpr std::chrono::seconds kOutcomeTimeout{30};
constexpr std::chrono::milliseconds kReconnectPause{100};

// Not a bug, so not CHECK. Nothing is lost: a new process rebuilds its memory from the database.
[[noreturn]] void exit_process(const std::string& reason) {
  base::log_error("stopped", {{"reason", reason}});
  std::_Exit(EXIT_FAILURE);
}

bool is_select(std::string_view sql) {
  sql.remove_prefix(std::min(sql.find_first_not_of(" \t\n"), sql.size()));
  return base::equals_ignoring_case(sql.substr(0, 6), "SELECT");
}

std::string lock_holder(PostgresConnection& connection) {
  std::string holder = "an unknown session";
  connection.run(kLockHolder, {}, [&](const Row& row) {
    holder = "PostgreSQL's session " + row.str(0) + ", connected from " + row.str(1);
  });
  return holder;
}

}  // namespace

PostgresWriter::PostgresWriter(const std::string& target, const std::vector<Migrations>& migrations)
    : connection_(target, [this](PostgresConnection& connection) { lock(connection); }) {
  connection_.connect();
  migrate_tables(migrations);
}

// Not REPEATABLE READ, which may run DDL on an old snapshot.
void PostgresWriter::migrate_tables(const std::vector<Migrations>& migrations) {
  class MigrationTx final : public Tx {
   public:
    explicit MigrationTx(PostgresConnection& connection) : connection_(connection) {}
    std::int64_t run(std::string_view sql, std::span<const Param> params, const EachRow& each) override {
      return connection_.run(sql, params, each);
    }

   private:
    PostgresConnection& connection_;
  };

  connection_.begin("BEGIN ISOLATION LEVEL READ COMMITTED");
  MigrationTx tx(connection_);
  tx.exec("SET LOCAL statement_timeout = 0");
  migrate(tx, "the " + connection_.name(), migrations, to_postgres);
  tx.exec(to_postgres(kServerTable));
  const std::int64_t epoch = tx.query("INSERT INTO store_server (id, epoch, batch) VALUES (1, 1, 0)"
                                      " ON CONFLICT (id) DO UPDATE SET epoch = store_server.epoch + 1, batch = 0"
                                      " RETURNING epoch")
                                 .integer();
  if (!connection_.commit()) throw Error(ErrorKind::Busy, "the connection to PostgreSQL was lost while migrating");
  epoch_ = epoch;
}

void PostgresWriter::lock(PostgresConnection& connection) {
  connection.execute(kLimitLockWait);
  bool locked = true;
  std::string holder;
  try {
    connection.execute(kLock);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::Busy || connection.lost()) throw;
    locked = false;
    holder = lock_holder(connection);
  }
  connection.execute("RESET lock_timeout");
  if (epoch_ > 0) {
    std::int64_t epoch = 0;
    connection.run("SELECT epoch FROM store_server", {}, [&](const Row& row) { epoch = row.integer(0); });
    if (epoch != epoch_) exit_process("another Stoker server has taken over the " + connection.name());
  }
  if (!locked) {
    throw Error(ErrorKind::Busy, "the " + connection.name() + " is in use by another Stoker server: " + holder);
  }
}

std::int64_t PostgresWriter::run(std::string_view sql, std::span<const Param> params, const EachRow& each) {
  rethrow_failure();
  if (!begun()) {
    try {
      connection_.begin(kBeginWrite);
    } catch (const Error& error) {
      set_unreachable(error);
      throw;
    }
    set_begun();
    wrote_ = false;
  }
  try {
    const bool writes = !is_select(sql);
    if (writes || careful()) set_writing();
    wrote_ |= writes;
    return connection_.run(sql, params, each);
  } catch (const Error&) {
    set_failure(connection_.lost());
    // Any failed statement aborts the transaction, up to the savepoint where there is one.
    if (!connection_.lost() && !careful()) set_writing();
    throw;
  }
}

void PostgresWriter::commit_transaction() {
  std::string number;
  if (wrote_) number = "UPDATE store_server SET batch = " + std::to_string(++batch_);
  if (connection_.commit(number)) return;
  if (wrote_ && batch_was_committed()) return;
  throw Error(ErrorKind::Busy, "the connection to PostgreSQL was lost while committing: nothing was written");
}

// The lock is free only once the old session has ended, and with it the transaction in question.
bool PostgresWriter::batch_was_committed() {
  const auto deadline = std::chrono::steady_clock::now() + kOutcomeTimeout;
  while (true) {
    try {
      connection_.connect();
      std::int64_t batch = 0;
      connection_.run("SELECT batch FROM store_server", {}, [&](const Row& row) { batch = row.integer(0); });
      return batch == batch_;
    } catch (const Error& error) {
      if (std::chrono::steady_clock::now() > deadline) {
        exit_process(std::string("cannot find out whether the last transaction was committed: ") + error.what());
      }
      std::this_thread::sleep_for(kReconnectPause);
    }
  }
}

}  // namespace store
