// SPDX-License-Identifier: Apache-2.0
#include "store/postgres_row.h"

#include <charconv>
#include <limits>

#include "base/bytes.h"
#include "base/check.h"

namespace store {
namespace {

double to_real(std::string_view digits) {
  double value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

}  // namespace

std::int64_t to_integer(std::string_view digits) {
  std::int64_t value = 0;
  auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failed == std::errc() && end == digits.data() + digits.size()) return value;
  constexpr double kBound = 9223372036854775808.0;  // 2^63
  double real = to_real(digits);
  if (real >= kBound) return std::numeric_limits<std::int64_t>::max();
  if (real < -kBound) return std::numeric_limits<std::int64_t>::min();
  return real == real ? static_cast<std::int64_t>(real) : 0;
}

double PostgresRow::real(int column) const { return to_real(text(column)); }

std::string_view PostgresRow::text(int column) const {
  std::string_view value(PQgetvalue(result_, row_, column),
                         static_cast<std::size_t>(PQgetlength(result_, row_, column)));
  if (is_null(column)) return {};
  Oid type = PQftype(result_, column);
  if (type == kBool) return value == "t" ? "1" : "0";
  if (type != kBytea) return value;
  auto bytes = base::from_hex(value.substr(2));  // after "\x"
  CHECK(bytes) << "PostgreSQL sent an invalid blob";
  return decoded_.emplace_back(*std::move(bytes));
}

}  // namespace store
