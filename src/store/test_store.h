// SPDX-License-Identifier: Apache-2.0
// The store of one test: SQLite in a folder, or with STOKER_TEST_STORE=postgresql://... a schema of its own in
// that database. tests/postgres.sh starts a server and sets the variable.
#pragma once

#include <libpq-fe.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"

namespace store {

class TestSchema {
 public:
  explicit TestSchema(std::string url) : url_(std::move(url)) { execute("CREATE SCHEMA " + name_); }
  ~TestSchema() { execute("DROP SCHEMA IF EXISTS " + name_ + " CASCADE"); }
  TestSchema(const TestSchema&) = delete;
  TestSchema& operator=(const TestSchema&) = delete;

  // Finds tables in this schema only.
  std::string url() const {
    return url_ + (url_.find('?') == url_.npos ? "?" : "&") + "options=-csearch_path%3D" + name_;
  }

 private:
  static std::string new_name() {
    static std::atomic<int> count = 0;
    return "test_" + std::to_string(getpid()) + "_" + std::to_string(++count);
  }

  void execute(const std::string& sql) const {
    std::unique_ptr<PGconn, void (*)(PGconn*)> connection(PQconnectdb(url_.c_str()), PQfinish);
    PQsetNoticeProcessor(
        connection.get(), [](void*, const char*) {}, nullptr);
    std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(connection.get(), sql.c_str()), PQclear);
    if (PQresultStatus(result.get()) == PGRES_COMMAND_OK) return;
    std::fprintf(stderr, "%s: %s", sql.c_str(), PQerrorMessage(connection.get()));
    std::abort();
  }

  std::string url_;
  std::string name_ = new_name();
};

class PostgresTestStore final : public Store {
 public:
  PostgresTestStore(const std::string& url, const std::vector<Migrations>& migrations)
      : schema_(url), store_(open_postgres(schema_.url(), migrations)) {}

  void write(Work work, Done done) override { store_->write(std::move(work), std::move(done)); }
  void read(Work work, Done done) override { store_->read(std::move(work), std::move(done)); }
  bool read_here(const Work& work) override { return store_->read_here(work); }

 private:
  TestSchema schema_;
  std::unique_ptr<Store> store_;
};

inline std::unique_ptr<Store> open_test_store(const std::string& folder, const std::vector<Migrations>& migrations) {
  const char* url = std::getenv("STOKER_TEST_STORE");
  if (!url || !*url) return open_sqlite(folder, migrations);
  std::filesystem::create_directories(folder);
  return std::make_unique<PostgresTestStore>(url, migrations);
}

}  // namespace store
