// SPDX-License-Identifier: Apache-2.0
// One connection to the SQLite file, used by one thread: cached prepared statements, parameters, rows.
#pragma once

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/store.h"

namespace store {

class SqliteConnection {
 public:
  // The writer buffers its writes to the log. Unchanging: a file without a log that nobody writes.
  enum class Mode { Writer, ReadWrite, ReadOnly, Unchanging };

  SqliteConnection(const std::string& path, Mode mode);
  ~SqliteConnection();
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  // A statement, borrowed for one run.
  class Statement;
  Statement prepare(std::string_view sql);

  // Several statements without parameters, for set-up.
  void exec(const char* sql);
  // False inside a transaction. True again if the engine ended the transaction by itself, as it does on a full disk.
  bool autocommit() const { return sqlite3_get_autocommit(db_) != 0; }
  sqlite3* handle() const { return db_; }

  // The error of the last call.
  Error error(std::string_view sql) const;

 private:
  struct Prepared {
    sqlite3_stmt* handle = nullptr;
    std::vector<int> params;  // for each slot of SQLite, the index of our parameter
    int param_count = 0;
    bool writes = false;
    bool lent = false;
    std::uint64_t last_use = 0;

    Prepared() = default;
    Prepared(const Prepared&) = delete;
    Prepared& operator=(const Prepared&) = delete;
    ~Prepared() { sqlite3_finalize(handle); }
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  std::unique_ptr<Prepared> make(std::string_view sql);
  void forget_oldest();

  // The last statement prepared from a text at this address. Most texts are literals: this saves hashing some hundred
  // bytes.
  struct Recent {
    const std::string* sql = nullptr;  // the key in prepared_
    Prepared* prepared = nullptr;
  };
  Recent& recent(std::string_view sql) {
    return recent_[(reinterpret_cast<std::uintptr_t>(sql.data()) >> 4) % recent_.size()];
  }

  sqlite3* db_ = nullptr;
  std::uint64_t uses_ = 0;
  std::array<Recent, 128> recent_;
  std::unordered_map<std::string, std::unique_ptr<Prepared>, TextHash, std::equal_to<>> prepared_;
};

class SqliteConnection::Statement {
 public:
  Statement(SqliteConnection& connection, Prepared& cached);
  // Not cached.
  Statement(SqliteConnection& connection, std::unique_ptr<Prepared> own);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  bool writes() const { return prepared_.writes; }
  // Returns the number of changed rows.
  std::int64_t run(std::span<const Param> params, const Tx::EachRow& each);

 private:
  void bind(std::span<const Param> params);

  SqliteConnection& connection_;
  std::unique_ptr<Prepared> own_;
  Prepared& prepared_;
};

}  // namespace store
