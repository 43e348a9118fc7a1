// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_connection.h"

#include <algorithm>
#include <charconv>

#include "base/bytes.h"
#include "base/check.h"
#include "store/account_work.h"
#include "store/sql_text.h"
#include "store/sqlite_wal_buffer.h"

namespace store {
namespace {

// Only a checkpoint makes one connection wait for another, and only briefly.
constexpr int kBusyTimeoutMs = 5000;

ErrorKind sqlite_error_kind(int code) {
  if (code == SQLITE_IOERR_SHMSIZE) return ErrorKind::Full;  // the index of the log is a file as well
  switch (code & 0xff) {
    case SQLITE_FULL: return ErrorKind::Full;
    case SQLITE_CONSTRAINT: return ErrorKind::Conflict;
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return ErrorKind::Busy;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return ErrorKind::Damaged;
    default: return ErrorKind::Other;
  }
}

class SqliteRow final : public Row {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}

  bool is_null(int column) const override { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::int64_t integer(int column) const override { return sqlite3_column_int64(statement_, column); }
  double real(int column) const override { return sqlite3_column_double(statement_, column); }
  std::string_view text(int column) const override {
    bool blob = sqlite3_column_type(statement_, column) == SQLITE_BLOB;
    const void* bytes = blob ? sqlite3_column_blob(statement_, column) : sqlite3_column_text(statement_, column);
    // After the pointer: reading the column as text defines its size.
    auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return {static_cast<const char*>(bytes), bytes ? size : 0};
  }

 private:
  sqlite3_stmt* statement_;
};

// Unlike PostgreSQL, SQLite treats "$2" as a name and numbers names in order of appearance.
std::vector<int> params_of(sqlite3_stmt* statement, std::string_view sql) {
  std::vector<int> params;
  for (int slot = 1; slot <= sqlite3_bind_parameter_count(statement); ++slot) {
    const char* name = sqlite3_bind_parameter_name(statement, slot);
    std::string_view digits = name ? std::string_view(name).substr(1) : std::string_view();
    int number = 0;
    auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (failed != std::errc() || end != digits.data() + digits.size() || number < 1) {
      throw Error(ErrorKind::Other, "invalid parameter name, expected $1: " + std::string(sql));
    }
    params.push_back(number - 1);
  }
  return params;
}

int bind_one(sqlite3_stmt* statement, int slot, const Param& param) {
  // An empty view may have a null pointer, which SQLite would treat as NULL.
  auto address = [](std::string_view bytes) { return bytes.data() ? bytes.data() : ""; };
  if (auto* integer = std::get_if<std::int64_t>(&param)) return sqlite3_bind_int64(statement, slot, *integer);
  if (auto* text = std::get_if<std::string_view>(&param)) {
    return sqlite3_bind_text64(statement, slot, address(*text), text->size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  if (auto* real = std::get_if<double>(&param)) return sqlite3_bind_double(statement, slot, *real);
  if (auto* blob = std::get_if<BlobView>(&param)) {
    return sqlite3_bind_blob64(statement, slot, address(blob->bytes), blob->bytes.size(), SQLITE_STATIC);
  }
  return sqlite3_bind_null(statement, slot);
}

}  // namespace

SqliteConnection::SqliteConnection(const std::string& path, Mode mode) {
  const bool reads = mode == Mode::ReadOnly || mode == Mode::Unchanging;
  int flags = reads ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  const char* vfs = mode == Mode::Writer ? buffering_vfs() : nullptr;
  std::string name = path;
  if (mode == Mode::Unchanging) {
    flags |= SQLITE_OPEN_URI;
    name = "file:" + base::percent_encode(path, true) + "?immutable=1";
  }
  if (sqlite3_open_v2(name.c_str(), &db_, flags | SQLITE_OPEN_NOMUTEX, vfs) != SQLITE_OK) {
    std::string why = db_ ? sqlite3_errmsg(db_) : "out of memory";
    sqlite3_close_v2(db_);
    throw Error(ErrorKind::Other, "cannot open " + path + ": " + why);
  }
  sqlite3_extended_result_codes(db_, 1);
  sqlite3_busy_timeout(db_, kBusyTimeoutMs);
  // As in PostgreSQL: "x" is a column, never a string.
  sqlite3_db_config(db_, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(db_, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
}

SqliteConnection::~SqliteConnection() {
  prepared_.clear();
  int closed = sqlite3_close(db_);
  CHECK(closed == SQLITE_OK) << "a connection was closed with a statement in use";
}

void SqliteConnection::exec(const char* sql) {
  if (sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) throw error(sql);
}

Error SqliteConnection::error(std::string_view sql) const {
  std::string message = sqlite3_errmsg(db_);
  message += ", in: ";
  message += sql.substr(0, kSqlInMessage);
  std::replace(message.begin(), message.end(), '\n', ' ');
  return Error(sqlite_error_kind(sqlite3_extended_errcode(db_)), message);
}

std::unique_ptr<SqliteConnection::Prepared> SqliteConnection::make(std::string_view sql) {
  auto made = std::make_unique<Prepared>();
  const char* rest = nullptr;
  int code = sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &made->handle,
                                &rest);
  if (code != SQLITE_OK) throw error(sql);
  // SQLite would run the first statement and ignore the others.
  if (!made->handle || sql.find_first_not_of(" \t\n", static_cast<std::size_t>(rest - sql.data())) != sql.npos) {
    throw Error(ErrorKind::Other, "not one statement: " + std::string(sql));
  }
  made->params = params_of(made->handle, sql);
  for (int param : made->params) made->param_count = std::max(made->param_count, param + 1);
  made->writes = sqlite3_stmt_readonly(made->handle) == 0;
  return made;
}

void SqliteConnection::forget_oldest() {
  auto oldest = prepared_.end();
  for (auto it = prepared_.begin(); it != prepared_.end(); ++it) {
    if (it->second->lent) continue;
    if (oldest == prepared_.end() || it->second->last_use < oldest->second->last_use) oldest = it;
  }
  if (oldest == prepared_.end()) return;
  recent_.fill({});
  prepared_.erase(oldest);
}

SqliteConnection::Statement SqliteConnection::prepare(std::string_view sql) {
  Recent& here = recent(sql);
  if (!here.sql || *here.sql != sql) {
    auto found = prepared_.find(sql);
    if (found == prepared_.end()) {
      auto made = make(sql);
      if (prepared_.size() >= kMaxPreparedStatements) forget_oldest();
      found = prepared_.emplace(sql, std::move(made)).first;
    }
    here = {&found->first, found->second.get()};
  }
  Prepared& cached = *here.prepared;
  // A row's function may run the statement that produced the row.
  if (cached.lent) return Statement(*this, make(sql));
  cached.last_use = ++uses_;
  return Statement(*this, cached);
}

SqliteConnection::Statement::Statement(SqliteConnection& connection, Prepared& cached)
    : connection_(connection), prepared_(cached) {
  prepared_.lent = true;
}

SqliteConnection::Statement::Statement(SqliteConnection& connection, std::unique_ptr<Prepared> own)
    : connection_(connection), own_(std::move(own)), prepared_(*own_) {}

SqliteConnection::Statement::~Statement() {
  sqlite3_reset(prepared_.handle);
  prepared_.lent = false;
}

void SqliteConnection::Statement::bind(std::span<const Param> params) {
  if (static_cast<int>(params.size()) != prepared_.param_count) {
    throw Error(ErrorKind::Other, std::to_string(params.size()) + " parameters instead of " +
                                      std::to_string(prepared_.param_count) + " in: " + sqlite3_sql(prepared_.handle));
  }
  int slot = 0;
  for (int param : prepared_.params) {
    int code = bind_one(prepared_.handle, ++slot, params[static_cast<std::size_t>(param)]);
    if (code != SQLITE_OK) throw connection_.error(sqlite3_sql(prepared_.handle));
  }
}

std::int64_t SqliteConnection::Statement::run(std::span<const Param> params, const Tx::EachRow& each) {
  bind(params);
  sqlite3* db = connection_.db_;
  sqlite3_int64 before = sqlite3_total_changes64(db);
  SqliteRow row(prepared_.handle);
  int code = sqlite3_step(prepared_.handle);
  for (; code == SQLITE_ROW; code = sqlite3_step(prepared_.handle)) {
    if (each) each(row);
  }
  if ((code & 0xff) == SQLITE_INTERRUPT) throw OverTime();
  if (code != SQLITE_DONE) throw connection_.error(sqlite3_sql(prepared_.handle));
  // sqlite3_changes is left over from an earlier statement if this one cannot change rows.
  bool changed = prepared_.writes && sqlite3_total_changes64(db) != before;
  return changed ? sqlite3_changes64(db) : 0;
}

}  // namespace store
