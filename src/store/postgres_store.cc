// SPDX-License-Identifier: Apache-2.0
// The PostgreSQL store's threads, each with its own connection: one that writes, several that read.
#include <pthread.h>

#include <memory>
#include <thread>
#include <vector>

#include "store/batch_turn.h"
#include "store/folder_lock.h"
#include "store/job_queue.h"
#include "store/open.h"
#include "store/postgres_connection.h"
#include "store/postgres_writer.h"

namespace store {
namespace {

constexpr int kPostgresReaders = 4;
// Readers that one account may use at a time: the others are for other accounts.
constexpr std::size_t kPostgresReadersPerAccount = kPostgresReaders / 2;
// The first statement of a batch waits for those before it; more jobs share fewer commits.
constexpr std::size_t kMaxPostgresBatch = 256;

constexpr const char* kBeginRead = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

class PostgresReadTx final : public Tx {
 public:
  explicit PostgresReadTx(PostgresConnection& connection) : connection_(connection) {}

  std::int64_t run(std::string_view sql, std::span<const Param> params, const EachRow& each) override {
    if (failure_) std::rethrow_exception(failure_);
    try {
      return connection_.run(sql, params, each);
    } catch (const Error&) {
      failure_ = std::current_exception();
      throw;
    }
  }

  std::exception_ptr failure() const { return failure_; }

 private:
  PostgresConnection& connection_;
  std::exception_ptr failure_;
};

void run_read(PostgresConnection& connection, Job& job) {
  PostgresReadTx tx(connection);
  try {
    connection.begin(kBeginRead);
    job.work(tx);
    job.error = tx.failure();
  } catch (...) {
    job.error = std::current_exception();
  }
  connection.rollback();  // there is nothing to commit
  job.ends = tx.take_ends();
  job.end(!job.error);
}

class PostgresStore final : public Store {
 public:
  PostgresStore(const std::string& target, const std::vector<Migrations>& migrations,
                std::unique_ptr<FolderLock> folder)
      : folder_(std::move(folder)), writer_(target, migrations) {
    threads_.emplace_back([this] { write_all(); });
    for (int i = 0; i < kPostgresReaders; ++i) threads_.emplace_back([this, target] { read_all(target); });
  }

  ~PostgresStore() override {
    writes_.close();
    reads_.close();
    for (auto& thread : threads_) thread.join();
  }

  void write(Work work, Done done) override { writes_.push({.work = std::move(work), .done = std::move(done)}); }
  void read(Work work, Done done) override { reads_.push({.work = std::move(work), .done = std::move(done)}); }

 private:
  void write_all() {
    pthread_setname_np(pthread_self(), "store-writer");
    std::vector<Job> batch;
    while (writes_.take(batch, kMaxPostgresBatch)) {
      const BatchTurn turn(writes_, batch);
      const std::size_t ran = writer_.commit(batch, [&turn] { return turn.over(); });
      writes_.put_back(std::span(batch).subspan(ran));
      batch.resize(ran);
      for (Job& job : batch) finish(job);
      batch.clear();
    }
  }

  void read_all(const std::string& target) {
    pthread_setname_np(pthread_self(), "store-reader");
    PostgresConnection connection(target);
    std::vector<Job> one;
    while (reads_.take(one, 1)) {
      run_read(connection, one.front());
      reads_.finished(one.front().account);
      finish(one.front());
      one.clear();
    }
  }

  std::unique_ptr<FolderLock> folder_;
  PostgresWriter writer_;
  JobQueue writes_;
  JobQueue reads_{{.running = kPostgresReadersPerAccount}};
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<Store> open_postgres(const std::string& target, const std::vector<Migrations>& migrations) {
  return std::make_unique<PostgresStore>(target, migrations, nullptr);
}

bool is_postgres(std::string_view target) {
  return target.starts_with("postgresql://") || target.starts_with("postgres://");
}

std::unique_ptr<Store> open(const std::string& folder, const std::string& url,
                            const std::vector<Migrations>& migrations) {
  return open(folder, url, migrations, {});
}

std::unique_ptr<Store> open(const std::string& folder, const std::string& url,
                            const std::vector<Migrations>& migrations, const OpenOptions& options) {
  if (url.empty()) return open_sqlite(folder, migrations, options);
  if (!is_postgres(url)) throw Error(ErrorKind::Other, "unsupported store: the URL must begin with postgresql://");
  return std::make_unique<PostgresStore>(url, migrations, std::make_unique<FolderLock>(folder));
}

}  // namespace store
