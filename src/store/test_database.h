// SPDX-License-Identifier: Apache-2.0
// An empty database of either engine, for one test.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "store/postgres_test_server.h"
#include "store/store.h"

namespace store {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    char pattern[] = "/tmp/stoker-store-XXXXXX";
    path_ = mkdtemp(pattern);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class TestDatabase {
 public:
  virtual ~TestDatabase() = default;
  virtual std::unique_ptr<Store> open(const std::vector<Migrations>& migrations) = 0;
  // The first value of the first row, without using the store.
  virtual std::string value(const std::string& sql) = 0;
};

class SqliteTestDatabase final : public TestDatabase {
 public:
  std::unique_ptr<Store> open(const std::vector<Migrations>& migrations) override {
    return open_sqlite(folder_.path(), migrations);
  }
  std::string value(const std::string& sql) override {
    sqlite3* raw = nullptr;
    sqlite3_open_v2((folder_.path() + "/stoker.db").c_str(), &raw, SQLITE_OPEN_READWRITE, nullptr);
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(raw, sql.c_str(), -1, &statement, nullptr);
    std::string found;
    if (sqlite3_step(statement) == SQLITE_ROW) {
      found = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
    sqlite3_close(raw);
    return found;
  }
  const std::string& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

class PostgresTestDatabase final : public TestDatabase {
 public:
  PostgresTestDatabase() : target_(PostgresTestServer::instance().create_database()) {}

  std::unique_ptr<Store> open(const std::vector<Migrations>& migrations) override {
    return open_postgres(target_, migrations);
  }
  std::string value(const std::string& sql) override { return PostgresTestServer::value(target_, sql); }
  const std::string& target() const { return target_; }
  // The folder of the server's unix socket.
  std::string host() const { return PostgresTestServer::instance().folder(); }

 private:
  std::string target_;
};

}  // namespace store
