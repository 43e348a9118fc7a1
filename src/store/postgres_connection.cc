// SPDX-License-Identifier: Apache-2.0
#include "store/postgres_connection.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "store/postgres_row.h"
#include "store/sql_text.h"

namespace store {
namespace {

// The connection string ("dbname") overrides the options before it, not those after it.
struct ConnectionOption {
  const char* keyword;
  const char* value;
};
constexpr std::array kDefaults{
    ConnectionOption{"connect_timeout", "10"},     ConnectionOption{"tcp_user_timeout", "30000"},
    ConnectionOption{"keepalives_idle", "30"},     ConnectionOption{"keepalives_interval", "10"},
    ConnectionOption{"keepalives_count", "3"},     ConnectionOption{"fallback_application_name", "stoker"},
};

// A commit is durable when it returns, whatever the server's default. The server notices after a minute that
// this machine is gone, and releases its locks.
constexpr const char* kSettings =
    "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3;"
    "SET bytea_output = hex; SET extra_float_digits = 1; SET client_min_messages = warning;"
    "SET statement_timeout = '30s'; SET idle_in_transaction_session_timeout = '60s';"
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

ErrorKind postgres_error_kind(std::string_view state) {
  if (state == "53100") return ErrorKind::Full;
  if (state.starts_with("23")) return ErrorKind::Conflict;
  if (state.starts_with("40") || state.starts_with("53") || state.starts_with("55P") || state.starts_with("57")) {
    return ErrorKind::Busy;
  }
  if (state.starts_with("XX")) return ErrorKind::Damaged;
  return ErrorKind::Other;
}

}  // namespace

// Parameters in libpq's form. Points into the Params that it was made of.
struct PostgresConnection::Arguments {
  std::string types_key;  // one letter a parameter
  std::vector<Oid> types;
  std::vector<const char*> values;
  std::vector<int> lengths;
  std::vector<int> formats;
  std::vector<std::string> texts;

  explicit Arguments(std::span<const Param> params) {
    texts.reserve(params.size());  // `values` points into it
    for (const Param& param : params) add(param);
  }

  void add(const Param& param) {
    if (auto* integer = std::get_if<std::int64_t>(&param)) {
      push('i', kInt8, texts.emplace_back(std::to_string(*integer)), 0);
    } else if (auto* real = std::get_if<double>(&param)) {
      std::array<char, 32> digits;
      auto end = std::to_chars(digits.data(), digits.data() + digits.size(), *real).ptr;
      push('d', kFloat8, texts.emplace_back(digits.data(), end), 0);
    } else if (auto* text = std::get_if<std::string_view>(&param)) {
      if (text->find('\0') != text->npos) throw Error(ErrorKind::Other, "PostgreSQL text cannot hold a zero byte");
      push('t', kText, *text, 1);  // binary: the text format would need a copy that ends in a zero byte
    } else if (auto* blob = std::get_if<BlobView>(&param)) {
      push('b', kBytea, blob->bytes, 1);
    } else {
      push('n', 0, std::nullopt, 0);  // the server infers the type
    }
  }

  void push(char key, Oid type, std::optional<std::string_view> bytes, int format) {
    types_key += key;
    types.push_back(type);
    values.push_back(!bytes ? nullptr : bytes->data() ? bytes->data() : "");
    lengths.push_back(bytes ? static_cast<int>(bytes->size()) : 0);
    formats.push_back(format);
  }
};

void PostgresConnection::connect() {
  prepared_.clear();
  std::vector<const char*> keywords, values;
  for (const auto& [keyword, value] : kDefaults) {
    keywords.push_back(keyword);
    values.push_back(value);
  }
  keywords.insert(keywords.end(), {"dbname", "client_encoding", nullptr});
  values.insert(values.end(), {target_.c_str(), "UTF8", nullptr});
  connection_.reset(PQconnectdbParams(keywords.data(), values.data(), 1));
  if (lost()) {
    std::string why = connection_ ? PQerrorMessage(connection_.get()) : "out of memory";
    throw Error(ErrorKind::Busy, "cannot connect to PostgreSQL: " + one_line(why));
  }
  PQsetNoticeProcessor(
      connection_.get(), [](void*, const char*) {}, nullptr);
  try {
    execute(kSettings);
    if (on_connect_) on_connect_(*this);
  } catch (...) {
    connection_.reset();
    throw;
  }
}

std::string PostgresConnection::name() const {
  auto text = [](const char* value) { return std::string(value ? value : ""); };
  return "PostgreSQL database '" + text(PQdb(connection_.get())) + "' at " + text(PQhost(connection_.get())) + ":" +
         text(PQport(connection_.get()));
}

void PostgresConnection::execute(const char* sql) { checked(PQexec(connection_.get(), sql), sql); }

PostgresConnection::Result PostgresConnection::checked(PGresult* raw, std::string_view sql) {
  Result result(raw);
  auto status = PQresultStatus(raw);
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return result;
  if (lost()) {
    throw Error(ErrorKind::Busy,
                "the connection to PostgreSQL was lost: " + one_line(PQerrorMessage(connection_.get())));
  }
  const char* field = PQresultErrorField(raw, PG_DIAG_SQLSTATE);
  std::string_view state = field ? field : "";
  std::string message = PQresultErrorMessage(raw);
  message += ", in: ";
  message += sql.substr(0, kSqlInMessage);
  throw Error(postgres_error_kind(state), one_line(message));
}

void PostgresConnection::begin(const char* sql) {
  if (!lost()) {
    Result result(PQexec(connection_.get(), sql));
    if (!lost()) {
      checked(result.release(), sql);
      return;
    }
  }
  connect();
  execute(sql);
}

bool PostgresConnection::commit(const std::string& last) {
  const std::string sql = last.empty() ? "COMMIT" : last + "; COMMIT";
  Result result(PQexec(connection_.get(), sql.c_str()));
  if (lost()) return false;
  checked(result.release(), sql);
  return true;
}

void PostgresConnection::rollback() {
  if (lost()) return;
  Result result(PQexec(connection_.get(), "ROLLBACK"));
  if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) connection_.reset();
}

const std::string& PostgresConnection::prepare(std::string_view sql, const Arguments& arguments) {
  std::string key = arguments.types_key + ":" + std::string(sql);
  auto found = prepared_.find(key);
  if (found != prepared_.end()) return found->second;
  if (prepared_.size() >= kMaxPreparedStatements) {
    checked(PQexec(connection_.get(), "DEALLOCATE ALL"), "DEALLOCATE ALL");
    prepared_.clear();
  }
  std::string name = "s" + std::to_string(++statement_count_);
  checked(PQprepare(connection_.get(), name.c_str(), std::string(sql).c_str(), static_cast<int>(arguments.types.size()),
                    arguments.types.data()),
          sql);
  return prepared_.emplace(std::move(key), std::move(name)).first->second;
}

std::int64_t PostgresConnection::run(std::string_view sql, std::span<const Param> params, const Tx::EachRow& each) {
  Arguments arguments(params);
  const std::string& name = prepare(sql, arguments);
  Result result =
      checked(PQexecPrepared(connection_.get(), name.c_str(), static_cast<int>(params.size()), arguments.values.data(),
                             arguments.lengths.data(), arguments.formats.data(), 0),
              sql);
  // The result is complete, so that a row's function may run other statements.
  for (int row = 0; each && row < PQntuples(result.get()); ++row) each(PostgresRow(result.get(), row));
  // For a SELECT this is the number of rows found.
  if (std::string_view(PQcmdStatus(result.get())).starts_with("SELECT")) return 0;
  return to_integer(PQcmdTuples(result.get()));
}

}  // namespace store
