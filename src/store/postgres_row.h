// SPDX-License-Identifier: Apache-2.0
// One row of a PostgreSQL result, in the text format.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "store/store.h"

namespace store {

// From pg_type.dat; they never change.
inline constexpr Oid kBool = 16;
inline constexpr Oid kBytea = 17;
inline constexpr Oid kInt8 = 20;
inline constexpr Oid kText = 25;
inline constexpr Oid kFloat8 = 701;

// Converts like SQLite: truncates fractions, and returns 0 for text that is not a number.
std::int64_t to_integer(std::string_view digits);

class PostgresRow final : public Row {
 public:
  PostgresRow(const PGresult* result, int row) : result_(result), row_(row) {}

  bool is_null(int column) const override { return PQgetisnull(result_, row_, column) != 0; }
  std::int64_t integer(int column) const override { return to_integer(text(column)); }
  double real(int column) const override;
  std::string_view text(int column) const override;

 private:
  const PGresult* result_;
  int row_;
  // Decoded blobs. A deque, so that views into it stay valid.
  mutable std::deque<std::string> decoded_;
};

}  // namespace store
