// SPDX-License-Identifier: Apache-2.0
// The PostgreSQL store's threads, each with a connection of its own.
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "store/job_queue.h"
#include "store/migrate.h"
#include "store/postgres_connection.h"
#include "store/sql_text.h"
#include "store/store.h"

namespace store {
namespace {

constexpr int kConnections = 8;
// Works that all change one row fail but for one, each time: the last of them
// needs many tries, the pauses in between spread them.
constexpr int kMaxAttempts = 30;
constexpr std::chrono::milliseconds kMaxPause{50};
// Any number, as long as every Stoker takes the same.
constexpr std::int64_t kMigrationLock = 0x73746f6b6572;

constexpr const char* kBeginWrite = "BEGIN ISOLATION LEVEL SERIALIZABLE";
constexpr const char* kBeginRead = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

class PostgresTx final : public Tx {
 public:
  explicit PostgresTx(PostgresConnection& connection) : connection_(connection) {}

  std::int64_t run(std::string_view sql, std::span<const Param> params, const EachRow& each) override {
    if (failure_) std::rethrow_exception(failure_);
    try {
      return connection_.run(sql, params, each);
    } catch (const Error&) {
      failure_ = std::current_exception();
      throw;
    }
  }

  // Of a statement: the transaction cannot be committed any more.
  std::exception_ptr failure() const { return failure_; }

 private:
  PostgresConnection& connection_;
  std::exception_ptr failure_;
};

void try_job(PostgresConnection& connection, Job& job) {
  PostgresTx tx(connection);
  try {
    connection.begin(job.writes ? kBeginWrite : kBeginRead);
    job.work(tx);
    job.error = tx.failure();
    if (!job.error) connection.commit();
  } catch (...) {
    job.error = std::current_exception();
  }
  if (job.error) connection.rollback();
  job.ends = tx.take_ends();
  job.end(!job.error);
}

std::chrono::milliseconds pause_before(int attempt) {
  thread_local std::minstd_rand random(std::random_device{}());
  auto longest = std::min<std::int64_t>(kMaxPause.count(), 1LL << std::min(attempt, 16));
  return std::chrono::milliseconds(std::uniform_int_distribution<std::int64_t>(0, longest)(random));
}

void run_job(PostgresConnection& connection, Job& job) {
  for (int attempt = 1; attempt <= kMaxAttempts; ++attempt) {
    try_job(connection, job);
    // Also when the work made an error of its own of it, or none.
    if (!job.error || !connection.may_retry()) return;
    std::this_thread::sleep_for(pause_before(attempt));
  }
  job.error = std::make_exception_ptr(Error(ErrorKind::Busy, "too many writes at once change the same rows"));
}

// Two programs may start at once: the second waits, then finds the work done. Not
// serializable, since that would show it the state before its wait.
void migrate_database(const std::string& target, const std::vector<Migrations>& migrations) {
  PostgresConnection connection(target);
  connection.begin("BEGIN ISOLATION LEVEL READ COMMITTED");
  PostgresTx tx(connection);
  tx.exec("SET LOCAL statement_timeout = 0");
  tx.exec("SELECT pg_advisory_xact_lock($1)", kMigrationLock);
  migrate(tx, "the database", migrations, to_postgres);
  connection.commit();
}

class PostgresStore final : public Store {
 public:
  PostgresStore(const std::string& target, const std::vector<Migrations>& migrations) {
    migrate_database(target, migrations);
    for (int i = 0; i < kConnections; ++i) threads_.emplace_back([this, target] { run_all(target); });
  }

  ~PostgresStore() override {
    jobs_.close();
    for (auto& thread : threads_) thread.join();
  }

  void write(Work work, Done done) override {
    jobs_.push({.work = std::move(work), .done = std::move(done), .writes = true});
  }
  void read(Work work, Done done) override {
    jobs_.push({.work = std::move(work), .done = std::move(done), .writes = false});
  }

 private:
  void run_all(const std::string& target) {
    pthread_setname_np(pthread_self(), "store-postgres");
    PostgresConnection connection(target);
    std::vector<Job> one;
    while (jobs_.take(one, 1)) {
      run_job(connection, one.front());
      finish(one.front());
      one.clear();
    }
  }

  JobQueue jobs_;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<Store> open_postgres(const std::string& connection, const std::vector<Migrations>& migrations) {
  return std::make_unique<PostgresStore>(connection, migrations);
}

}  // namespace store
