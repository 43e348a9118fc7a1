// SPDX-License-Identifier: Apache-2.0
// The SQLite store's threads: one writer, a few readers.
#include <pthread.h>

#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "store/folder_lock.h"
#include "store/job_queue.h"
#include "store/migrate.h"
#include "store/sqlite_checkpointer.h"
#include "store/sqlite_connection.h"
#include "store/sqlite_writer.h"
#include "store/store.h"

namespace store {
namespace {

// A larger batch makes its first job wait longer and saves little: the sync is shared by enough jobs.
constexpr std::size_t kMaxBatch = 1024;
constexpr int kReaders = 2;
// Connections for reads on callers' threads.
constexpr int kLent = 2;

constexpr const char* kWriterSettings =
    "PRAGMA page_size = 4096;"
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = FULL;"
    "PRAGMA foreign_keys = ON;"
    "PRAGMA case_sensitive_like = ON;"  // as in PostgreSQL
    "PRAGMA secure_delete = OFF;"
    // A savepoint's undo log stays in memory: it never outlives the process.
    "PRAGMA temp_store = MEMORY;"
    "PRAGMA cache_size = -65536;"
    // Truncates the log after a long read made it grow.
    "PRAGMA journal_size_limit = 134217728;";
constexpr const char* kReaderSettings =
    "PRAGMA case_sensitive_like = ON;"
    "PRAGMA temp_store = MEMORY;"
    "PRAGMA cache_size = -16384;";

class SqliteReadTx final : public Tx {
 public:
  explicit SqliteReadTx(SqliteConnection& connection) : connection_(connection) {}

  std::int64_t run(std::string_view sql, std::span<const Param> params, const EachRow& each) override {
    if (failure_) std::rethrow_exception(failure_);
    try {
      return connection_.prepare(sql).run(params, each);
    } catch (const Error&) {
      failure_ = std::current_exception();
      throw;
    }
  }

 private:
  SqliteConnection& connection_;
  std::exception_ptr failure_;
};

// A connection that callers borrow.
struct Lent {
  std::atomic_flag taken = ATOMIC_FLAG_INIT;
  std::unique_ptr<SqliteConnection> connection;
};

// In a transaction, so that all statements see the same snapshot.
void run_read(SqliteConnection& connection, Job& job) {
  SqliteReadTx tx(connection);
  try {
    connection.prepare("BEGIN").run({}, nullptr);
    job.work(tx);
  } catch (...) {
    job.error = std::current_exception();
  }
  try {
    if (!connection.autocommit()) connection.prepare("COMMIT").run({}, nullptr);
  } catch (...) {
    job.error = std::current_exception();
  }
  job.ends = tx.take_ends();
  job.end(!job.error);
}

std::unique_ptr<SqliteConnection> open_writer(const std::string& folder, const std::vector<Migrations>& migrations) {
  std::string path = folder + "/stoker.db";
  create_private_file(folder, path);
  auto connection = std::make_unique<SqliteConnection>(path, SqliteConnection::Mode::Writer);
  try {
    connection->exec(kWriterSettings);
  } catch (const Error& error) {
    throw Error(error.kind(), "cannot open " + path + ": " + error.what());
  }
  Job job;
  job.work = [&](Tx& tx) {
    migrate(tx, "the data folder " + folder, migrations, [](std::string_view sql) { return std::string(sql); });
  };
  SqliteWriter(*connection).commit({&job, 1});
  if (job.error) std::rethrow_exception(job.error);
  return connection;
}

std::unique_ptr<SqliteConnection> open_reader(const std::string& folder) {
  auto reader = std::make_unique<SqliteConnection>(folder + "/stoker.db", SqliteConnection::Mode::ReadOnly);
  reader->exec(kReaderSettings);
  return reader;
}

class SqliteStore final : public Store {
 public:
  SqliteStore(const std::string& folder, const std::vector<Migrations>& migrations)
      : lock_(folder), writer_(open_writer(folder, migrations)), checkpointer_(folder + "/stoker.db", *writer_) {
    for (auto& reader : readers_) reader = open_reader(folder);
    for (Lent& lent : lent_) lent.connection = open_reader(folder);
    threads_.emplace_back([this] { write_all(); });
    for (auto& reader : readers_) threads_.emplace_back([this, &reader] { read_all(*reader); });
  }

  ~SqliteStore() override {
    writes_.close();
    reads_.close();
    for (auto& thread : threads_) thread.join();
  }

  void write(Work work, Done done) override { writes_.push({.work = std::move(work), .done = std::move(done)}); }
  void read(Work work, Done done) override { reads_.push({.work = std::move(work), .done = std::move(done)}); }

  bool read_here(const Work& work) override {
    for (Lent& lent : lent_) {
      if (lent.taken.test_and_set(std::memory_order_acquire)) continue;
      Job job{.work = work, .done = {}};
      run_read(*lent.connection, job);
      lent.taken.clear(std::memory_order_release);
      if (job.error) std::rethrow_exception(job.error);
      return true;
    }
    return false;
  }

 private:
  void write_all() {
    pthread_setname_np(pthread_self(), "store-writer");
    SqliteWriter writer(*writer_);
    std::vector<Job> batch;
    while (writes_.take(batch, kMaxBatch)) {
      writer.commit(batch);
      for (Job& job : batch) finish(job);
      batch.clear();
      checkpointer_.after_commit();
    }
  }

  void read_all(SqliteConnection& connection) {
    pthread_setname_np(pthread_self(), "store-reader");
    std::vector<Job> one;
    while (reads_.take(one, 1)) {
      run_read(connection, one.front());
      finish(one.front());
      one.clear();
    }
  }

  FolderLock lock_;
  // Closed after the readers: the last connection checkpoints the log, which a read-only one cannot do.
  std::unique_ptr<SqliteConnection> writer_;
  SqliteCheckpointer checkpointer_;
  std::array<std::unique_ptr<SqliteConnection>, kReaders> readers_;
  std::array<Lent, kLent> lent_;
  JobQueue writes_;
  JobQueue reads_;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<Store> open_sqlite(const std::string& folder, const std::vector<Migrations>& migrations) {
  // Memory statistics take a lock that all connections share. Calls after the first have no effect.
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  return std::make_unique<SqliteStore>(folder, migrations);
}

}  // namespace store
