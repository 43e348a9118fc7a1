// SPDX-License-Identifier: Apache-2.0
// SQL as text: the statements of a migration, and their translation to PostgreSQL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace store {

// Statements are literals in the source, so there are about as many as the program has; the bound is for
// texts that are built at run time.
inline constexpr std::size_t kMaxPreparedStatements = 512;
// Bytes of a statement that an error message quotes.
inline constexpr std::size_t kSqlInMessage = 80;

// Splits at each `;` outside of quotes and comments. Does not support triggers, whose bodies contain `;`: the two
// engines have different syntax for them anyway.
std::vector<std::string> split_statements(std::string_view sql);

// Translates the types INTEGER, REAL, TEXT and BLOB in CREATE and ALTER statements. Returns other statements
// unchanged.
std::string to_postgres(std::string_view statement);

}  // namespace store
