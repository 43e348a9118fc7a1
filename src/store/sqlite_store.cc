// SPDX-License-Identifier: Apache-2.0
// The SQLite store's threads: one writer, a few readers.
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "base/short_slices.h"
#include "store/account_work.h"
#include "store/batch_turn.h"
#include "store/folder_lock.h"
#include "store/job_queue.h"
#include "store/log_scan.h"
#include "store/migrate.h"
#include "store/open.h"
#include "store/sqlite_checkpointer.h"
#include "store/sqlite_connection.h"
#include "store/sqlite_space.h"
#include "store/sqlite_time_limit.h"
#include "store/sqlite_writer.h"

namespace store {
namespace {

// A larger batch makes its first job wait longer and saves little: the sync is shared by enough jobs.
constexpr std::size_t kMaxBatch = 1024;
constexpr int kReaders = 4;
// Readers that one account may use at a time: the others are for other accounts.
constexpr std::size_t kReadersPerAccount = kReaders / 2;
// While several accounts use the store, the readers of one leave a processor to the threads of connections, the writer
// and the readers of others: they would wait for a processor, not for a reader.
std::size_t readers_beside_neighbours() {
  const std::size_t processors = std::thread::hardware_concurrency();
  return std::clamp<std::size_t>(processors, 2, kReadersPerAccount + 1) - 1;
}
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
    "PRAGMA cache_size = -8192;";

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
void run_read(SqliteConnection& connection, Job& job, std::chrono::milliseconds most) {
  SqliteReadTx tx(connection);
  try {
    connection.prepare("BEGIN").run({}, nullptr);
    const SqliteTimeLimit limit(connection, most);
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

bool took_too_long(const std::exception_ptr& error) {
  if (!error) return false;
  try {
    std::rethrow_exception(error);
  } catch (const OverTime&) {
    return true;
  } catch (...) {
    return false;
  }
}

std::unique_ptr<SqliteConnection> open_writer(const std::string& folder, const std::vector<Migrations>& migrations,
                                              const OpenOptions& options) {
  std::string path = folder + "/stoker.db";
  check_log(path, options.drop_damaged_log);
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
  SqliteStore(const std::string& folder, const std::vector<Migrations>& migrations, const OpenOptions& options)
      : lock_(folder),
        writer_(open_writer(folder, migrations, options)),
        checkpointer_(folder + "/stoker.db", *writer_),
        space_(folder + "/stoker.db", *writer_, options.space) {
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
      Job job{.work = work, .done = {}, .account = account_of(work)};
      neighbours_.used_by(job.account);
      run_read(*lent.connection, job, kMaxTimeHere);
      lent.taken.clear(std::memory_order_release);
      if (took_too_long(job.error)) return false;
      if (job.error) std::rethrow_exception(job.error);
      return true;
    }
    return false;
  }

 private:
  void write_all() {
    pthread_setname_np(pthread_self(), "store-writer");
    base::run_in_short_slices();
    SqliteWriter writer(*writer_);
    std::vector<Job> batch;
    while (writes_.take(batch, space_.max_batch(kMaxBatch))) {
      space_.limit_growth(batch);
      const BatchTurn turn(writes_, batch);
      const std::size_t ran = writer.commit(batch, [&turn] { return turn.over(); });
      writes_.put_back(std::span(batch).subspan(ran));
      batch.resize(ran);
      space_.rescue(writer, batch);
      for (Job& job : batch) finish(job);
      batch.clear();
      checkpointer_.after_commit(space_.is_tight());
      space_.measure();
    }
  }

  void read_all(SqliteConnection& connection) {
    pthread_setname_np(pthread_self(), "store-reader");
    base::run_in_short_slices();
    std::vector<Job> one;
    while (reads_.take(one, 1)) {
      run_read(connection, one.front(), one.front().account.empty() ? kUnlimitedTime : kMaxReadTime);
      reads_.finished(one.front().account);
      finish(one.front());
      one.clear();
    }
  }

  FolderLock lock_;
  // Closed after the readers: the last connection checkpoints the log, which a read-only one cannot do.
  std::unique_ptr<SqliteConnection> writer_;
  SqliteCheckpointer checkpointer_;
  SqliteSpace space_;
  std::array<std::unique_ptr<SqliteConnection>, kReaders> readers_;
  std::array<Lent, kLent> lent_;
  Neighbours neighbours_;
  JobQueue writes_{{}, &neighbours_};
  JobQueue reads_{{.running = kReadersPerAccount, .beside_neighbours = readers_beside_neighbours()}, &neighbours_};
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<Store> open_sqlite(const std::string& folder, const std::vector<Migrations>& migrations) {
  return open_sqlite(folder, migrations, {});
}

std::unique_ptr<Store> open_sqlite(const std::string& folder, const std::vector<Migrations>& migrations,
                                   const OpenOptions& options) {
  // Memory statistics take a lock that all connections share. Calls after the first have no effect.
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  return std::make_unique<SqliteStore>(folder, migrations, options);
}

}  // namespace store
