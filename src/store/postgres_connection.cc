// SPDX-License-Identifier: Apache-2.0
#include "store/postgres_connection.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "store/postgres_row.h"

namespace store {
namespace {

// As for SQLite, a bound for texts that are made at run time.
constexpr std::size_t kMaxPreparedStatements = 512;
constexpr std::size_t kSqlInMessage = 80;

// What the connection string may override comes before it, what it may not, after.
constexpr std::array<const char*, 6> kKeywords{"connect_timeout", "tcp_user_timeout", "fallback_application_name",
                                               "dbname",          "client_encoding",  nullptr};
constexpr const char* kConnectTimeoutSeconds = "10";
constexpr const char* kTcpTimeoutMs = "30000";

// A work is answered when it is durable, whatever the server does otherwise.
constexpr const char* kSettings =
    "SET bytea_output = hex; SET extra_float_digits = 1; SET client_min_messages = warning;"
    "SET statement_timeout = '30s'; SET idle_in_transaction_session_timeout = '60s';"
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

ErrorKind kind_of(std::string_view state) {
  if (state == "53100") return ErrorKind::Full;
  if (state.starts_with("23")) return ErrorKind::Conflict;
  if (state.starts_with("40") || state.starts_with("53") || state.starts_with("55P") || state.starts_with("57")) {
    return ErrorKind::Busy;
  }
  if (state.starts_with("XX")) return ErrorKind::Damaged;
  return ErrorKind::Other;
}

}  // namespace

// Parameters as libpq takes them. Points into the Params it was made of.
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
      push('t', kText, *text, 1);  // as it is: the text format would need a copy with a zero at its end
    } else if (auto* blob = std::get_if<BlobView>(&param)) {
      push('b', kBytea, blob->bytes, 1);
    } else {
      push('n', 0, std::nullopt, 0);  // the server takes the type that fits the place
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
  std::array<const char*, kKeywords.size()> values{kConnectTimeoutSeconds, kTcpTimeoutMs, "stoker",
                                                   target_.c_str(),        "UTF8",        nullptr};
  connection_.reset(PQconnectdbParams(kKeywords.data(), values.data(), 1));
  if (lost()) {
    std::string why = connection_ ? PQerrorMessage(connection_.get()) : "out of memory";
    throw Error(ErrorKind::Busy, "cannot connect to PostgreSQL: " + one_line(why));
  }
  PQsetNoticeProcessor(
      connection_.get(), [](void*, const char*) {}, nullptr);
  checked(PQexec(connection_.get(), kSettings), kSettings);
}

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
  may_retry_ = may_retry_ || state == "40001" || state == "40P01";
  std::string message = PQresultErrorMessage(raw);
  message += ", in: ";
  message += sql.substr(0, kSqlInMessage);
  throw Error(kind_of(state), one_line(message));
}

void PostgresConnection::begin(const char* sql) {
  may_retry_ = false;
  if (!lost()) {
    Result result(PQexec(connection_.get(), sql));
    if (!lost()) {
      checked(result.release(), sql);
      return;
    }
    // It was lost while it was idle, which is nobody's failure.
  }
  connect();
  checked(PQexec(connection_.get(), sql), sql);
}

void PostgresConnection::commit() {
  Result result(PQexec(connection_.get(), "COMMIT"));
  if (lost()) {
    throw Error(ErrorKind::Other,
                "the connection to PostgreSQL was lost while committing: "
                "it is not known whether the write was kept");
  }
  checked(result.release(), "COMMIT");
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
  std::string name = "s" + std::to_string(++names_given_);
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
  // All rows are here, so that a row's function may run other statements.
  for (int row = 0; each && row < PQntuples(result.get()); ++row) each(PostgresRow(result.get(), row));
  // A SELECT counts what it found, not what it changed.
  if (std::string_view(PQcmdStatus(result.get())).starts_with("SELECT")) return 0;
  return to_integer(PQcmdTuples(result.get()));
}

}  // namespace store
