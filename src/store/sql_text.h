// SPDX-License-Identifier: Apache-2.0
// SQL as text: a migration's statements, and our DDL in PostgreSQL's words.
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

// At each `;` outside of quotes and comments. Triggers, whose bodies hold `;`, are
// beyond it: the two engines write them differently anyway.
std::vector<std::string> split_statements(std::string_view sql);

// CREATE and ALTER statements are written with SQLite's types: INTEGER, REAL, TEXT
// and BLOB. Other statements stay as they are.
std::string to_postgres(std::string_view statement);

}  // namespace store
