// SPDX-License-Identifier: Apache-2.0
// One connection to PostgreSQL, used by one thread: transactions, cached prepared statements, rows.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "store/store.h"

namespace store {

class PostgresConnection {
 public:
  // `on_connect` runs on each new connection; when it throws, the connection is closed.
  using OnConnect = std::function<void(PostgresConnection&)>;
  explicit PostgresConnection(std::string target, OnConnect on_connect = nullptr)
      : target_(std::move(target)), on_connect_(std::move(on_connect)) {}

  void connect();
  bool lost() const { return !connection_ || PQstatus(connection_.get()) != CONNECTION_OK; }
  // Begins a transaction. Connects first if there is no connection, or if it broke while it was idle.
  void begin(const char* sql);
  // False when the connection broke, so that the outcome is unknown. Throws when the transaction was rolled
  // back. `last` is an SQL statement without parameters that runs before COMMIT, in the same round trip.
  [[nodiscard]] bool commit(const std::string& last = "");
  // Closes the connection if it does not respond, which rolls back as well.
  void rollback();

  // One or several statements without parameters.
  void execute(const char* sql);
  std::int64_t run(std::string_view sql, std::span<const Param> params, const Tx::EachRow& each);

  // "PostgreSQL database 'stoker' at localhost:5432", without credentials.
  std::string name() const;

 private:
  struct Close {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  using Result = std::unique_ptr<PGresult, Clear>;
  struct Arguments;

  const std::string& prepare(std::string_view sql, const Arguments& arguments);
  // Throws unless the statement succeeded.
  Result checked(PGresult* result, std::string_view sql);

  std::string target_;
  OnConnect on_connect_;
  std::unique_ptr<PGconn, Close> connection_;
  std::unordered_map<std::string, std::string> prepared_;  // parameter types and SQL -> name
  std::int64_t statement_count_ = 0;
};

}  // namespace store
