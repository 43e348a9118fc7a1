// SPDX-License-Identifier: Apache-2.0
// One connection to PostgreSQL, used by one thread: its transactions, statements
// prepared once and kept, rows read.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "store/store.h"

namespace store {

class PostgresConnection {
 public:
  // Connects when it is first used, and again after the connection was lost.
  explicit PostgresConnection(std::string target) : target_(std::move(target)) {}

  void begin(const char* sql);
  // Throws when the outcome is a rollback, or is not known.
  void commit();
  // Drops the connection where it does not answer: that rolls back as well.
  void rollback();

  std::int64_t run(std::string_view sql, std::span<const Param> params, const Tx::EachRow& each);

  // Whether the transaction failed only because of others beside it, so that a
  // second try may succeed.
  bool may_retry() const { return may_retry_; }

 private:
  struct Close {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  using Result = std::unique_ptr<PGresult, Clear>;
  struct Arguments;

  void connect();
  bool lost() const { return !connection_ || PQstatus(connection_.get()) != CONNECTION_OK; }
  const std::string& prepare(std::string_view sql, const Arguments& arguments);
  // Passes on what succeeded, throws the rest.
  Result checked(PGresult* result, std::string_view sql);

  std::string target_;
  std::unique_ptr<PGconn, Close> connection_;
  std::unordered_map<std::string, std::string> prepared_;  // parameter types and SQL -> name
  std::int64_t names_given_ = 0;
  bool may_retry_ = false;
};

}  // namespace store
