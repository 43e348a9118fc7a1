// SPDX-License-Identifier: Apache-2.0
// The store of one test: SQLite in a folder, or with STOKER_TEST_STORE=postgresql://... a schema of its own in
// that database. tests/postgres.sh starts a server and sets the variable.
#pragma once

#include <libpq-fe.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"

namespace store {

// An empty schema. Creating one table after another is slow, so that a schema is emptied after a test and kept
// for the next test with the same tables.
class TestSchema {
 public:
  TestSchema(const std::string& url, const std::vector<Migrations>& migrations) : pool_(pool(url)) {
    for (const Migrations& module : migrations) {
      for (const std::string& step : module.steps) tables_ += step;
    }
    name_ = pool_.take(tables_);
  }
  ~TestSchema() { pool_.give_back(tables_, name_); }
  TestSchema(const TestSchema&) = delete;
  TestSchema& operator=(const TestSchema&) = delete;

  // Finds tables in this schema only.
  std::string url() const {
    return pool_.url() + (pool_.url().find('?') == std::string::npos ? "?" : "&") + "options=-csearch_path%3D" + name_;
  }

 private:
  class Pool {
   public:
    explicit Pool(std::string url) : url_(std::move(url)), connection_(PQconnectdb(url_.c_str()), PQfinish) {
      PQsetNoticeProcessor(
          connection_.get(), [](void*, const char*) {}, nullptr);
    }
    ~Pool() {
      for (const auto& [tables, name] : idle_) execute("DROP SCHEMA " + name + " CASCADE");
    }

    const std::string& url() const { return url_; }

    std::string take(const std::string& tables) {
      std::lock_guard lock(mutex_);
      if (auto found = idle_.find(tables); found != idle_.end()) return idle_.extract(found).mapped();
      const std::string name = "test_" + std::to_string(getpid()) + "_" + std::to_string(++count_);
      execute("CREATE SCHEMA " + name);
      return name;
    }

    void give_back(const std::string& tables, const std::string& name) {
      std::lock_guard lock(mutex_);
      execute("DO $$ DECLARE one record; BEGIN "
              "FOR one IN SELECT oid::regclass AS name, pg_relation_size(oid) AS bytes FROM pg_class "
              " WHERE relkind = 'r' AND relnamespace = '" + name + "'::regnamespace AND pg_relation_size(oid) > 0 "
              " AND relname NOT IN ('schema_versions', 'store_server') LOOP "
              " IF one.bytes > 100000 THEN EXECUTE 'TRUNCATE ' || one.name; "
              " ELSE EXECUTE 'DELETE FROM ' || one.name; END IF; "
              "END LOOP; "
              "FOR one IN SELECT oid::regclass AS name FROM pg_class "
              " WHERE relkind = 'S' AND relnamespace = '" + name + "'::regnamespace LOOP "
              " PERFORM setval(one.name, 1, false); "
              "END LOOP; END $$");
      idle_.emplace(tables, name);
    }

   private:
    void execute(const std::string& sql) const {
      std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(connection_.get(), sql.c_str()), PQclear);
      if (PQresultStatus(result.get()) == PGRES_COMMAND_OK) return;
      std::fprintf(stderr, "%s: %s", sql.c_str(), PQerrorMessage(connection_.get()));
      std::abort();
    }

    std::string url_;
    std::unique_ptr<PGconn, void (*)(PGconn*)> connection_;
    std::mutex mutex_;
    std::multimap<std::string, std::string> idle_;  // tables -> schema
    int count_ = 0;
  };

  static Pool& pool(const std::string& url) {
    static Pool pool(url);
    return pool;
  }

  Pool& pool_;
  std::string tables_;
  std::string name_;
};

class PostgresTestStore final : public Store {
 public:
  PostgresTestStore(const std::string& url, const std::vector<Migrations>& migrations)
      : schema_(url, migrations), store_(open_postgres(schema_.url(), migrations)) {}

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
