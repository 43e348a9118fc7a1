// SPDX-License-Identifier: Apache-2.0
#include "state/exec_session.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/random.h"

namespace state {
namespace {

constexpr char kExecSessions[] = R"sql(
CREATE TABLE exec_sessions (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  cluster INTEGER NOT NULL,
  task TEXT NOT NULL,
  container TEXT NOT NULL,
  machine TEXT NOT NULL,
  target TEXT NOT NULL,
  owner TEXT NOT NULL,
  status INTEGER NOT NULL,             -- 4 and 5: it has ended
  begun INTEGER NOT NULL,
  token_hash TEXT NOT NULL,
  token_until INTEGER NOT NULL,
  spec TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  reason TEXT NOT NULL
);
CREATE INDEX exec_sessions_account ON exec_sessions (account, number);
CREATE INDEX exec_sessions_live ON exec_sessions (task) WHERE status < 4;
)sql";

// SSM shows sessions of the last 30 days.
constexpr base::Duration kExecHistory = std::chrono::hours(30 * 24);
constexpr std::int64_t kMaxExecHistory = 1000;  // of an account
constexpr std::size_t kExecTokenBytes = 32;

const std::string kSelectExec =
    "SELECT number, id, account, region, cluster, task, container, machine, target, owner, status, begun, token_hash, "
    "token_until, spec, created_at, ended_at, reason FROM exec_sessions";

ExecSession read_exec_session(const store::Row& row) {
  ExecSession session;
  session.number = row.integer(0);
  session.id = row.str(1);
  session.account = row.str(2);
  session.region = row.str(3);
  session.cluster = ClusterNumber(row.integer(4));
  session.task = row.str(5);
  session.container = row.str(6);
  session.machine = model::InstanceId(row.str(7));
  session.target = row.str(8);
  session.owner = row.str(9);
  session.status = static_cast<ExecStatus>(row.integer(10));
  session.begun = row.boolean(11);
  session.token_hash = row.str(12);
  session.token_until = row.time(13);
  session.spec_json = row.str(14);
  session.created_at = row.time(15);
  session.ended_at = row.maybe_time(16);
  session.reason = row.str(17);
  return session;
}

void trim_history(store::Tx& tx, const std::string& account, base::Time now) {
  tx.exec("DELETE FROM exec_sessions WHERE account = $1 AND ended_at <= $2", account, now - kExecHistory);
  tx.exec("DELETE FROM exec_sessions WHERE account = $1 AND ended_at IS NOT NULL AND number <= "
          "(SELECT number FROM exec_sessions WHERE account = $1 ORDER BY number DESC LIMIT 1 OFFSET $2)",
          account, kMaxExecHistory);
}

}  // namespace

std::string_view text(ExecStatus status) {
  switch (status) {
    case ExecStatus::Connecting: return "Connecting";
    case ExecStatus::Connected: return "Connected";
    case ExecStatus::Disconnected: return "Disconnected";
    case ExecStatus::Terminating: return "Terminating";
    case ExecStatus::Terminated: return "Terminated";
    case ExecStatus::Failed: break;
  }
  return "Failed";
}

store::Migrations exec_session_migrations() { return {"exec_sessions", {kExecSessions}}; }

std::string exec_token_hash(std::string_view token) { return base::to_hex(base::sha256(token)); }

bool valid_exec_token(std::string_view token) {
  return token.size() == 2 * kExecTokenBytes && token.find_first_not_of("0123456789abcdef") == token.npos;
}

ExecToken new_exec_token() {
  const std::string value = base::to_hex(base::random_bytes(kExecTokenBytes));
  return {value, exec_token_hash(value)};
}

std::string exec_stream_url(const std::string& endpoint, const std::string& session) {
  const bool secure = endpoint.starts_with("https://");
  const std::size_t host = endpoint.find("://");
  return (secure ? "wss" : "ws") + (host == endpoint.npos ? "://localhost" : endpoint.substr(host)) + "/v1/data-channel/" +
         session +
         "?role=publish_subscribe&cell-number=1";
}

void insert_exec_session(store::Tx& tx, ExecSession& session) {
  trim_history(tx, session.account, session.created_at);
  session.number =
      tx.query("INSERT INTO exec_sessions (id, account, region, cluster, task, container, machine, target, owner, status, "
               "begun, token_hash, token_until, spec, created_at, ended_at, reason) "
               "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, $11, $12, $13, $14, NULL, '') RETURNING number",
               session.id, session.account, session.region, static_cast<std::int64_t>(session.cluster), session.task,
               session.container, session.machine.str(), session.target, session.owner,
               static_cast<std::int64_t>(session.status), session.token_hash, session.token_until, session.spec_json,
               session.created_at)
          .integer();
}

std::optional<ExecSession> find_exec_session(store::Tx& tx, const std::string& id) {
  static const std::string sql = kSelectExec + " WHERE id = $1";
  return tx.query(sql, id).one(read_exec_session);
}

std::vector<ExecSession> list_new_exec_sessions(store::Tx& tx, std::int64_t most) {
  static const std::string sql = kSelectExec + " WHERE status < 4 AND begun = 0 ORDER BY number LIMIT $1";
  return tx.query(sql, most).all(read_exec_session);
}

std::vector<std::string> list_terminating_exec_sessions(store::Tx& tx) {
  return tx.query("SELECT id FROM exec_sessions WHERE status < 4 AND status = 3")
      .all([](const store::Row& row) { return row.str(0); });
}

std::int64_t count_live_exec_sessions(store::Tx& tx, const std::string& task, const std::string& container) {
  return tx.query("SELECT count(*) FROM exec_sessions WHERE status < 4 AND task = $1 AND container = $2", task, container)
      .integer();
}

void set_exec_begun(store::Tx& tx, const std::string& id) {
  tx.exec("UPDATE exec_sessions SET begun = 1 WHERE id = $1", id);
}

void replace_exec_token(store::Tx& tx, const std::string& id, const std::string& hash, base::Time until) {
  tx.exec("UPDATE exec_sessions SET token_hash = $2, token_until = $3 WHERE id = $1 AND status < 3", id, hash, until);
}

// Begun: its client is about to begin it, unless the loop has done so.
bool use_exec_token(store::Tx& tx, const std::string& id, const std::string& hash, base::Time now) {
  return tx.exec("UPDATE exec_sessions SET token_hash = '', status = 1, begun = 1 "
                 "WHERE id = $1 AND token_hash = $2 AND token_hash <> '' AND token_until >= $3 AND status < 3",
                 id, hash, now) == 1;
}

void set_exec_status(store::Tx& tx, const std::string& id, ExecStatus status) {
  tx.exec("UPDATE exec_sessions SET status = $2 WHERE id = $1 AND status < 3", id, static_cast<std::int64_t>(status));
}

void end_exec_session(store::Tx& tx, const std::string& id, ExecStatus status, const std::string& reason,
                      base::Time now) {
  tx.exec("UPDATE exec_sessions SET status = $2, reason = $3, ended_at = $4, begun = 1, token_hash = '', spec = '' "
          "WHERE id = $1 AND status < 4",
          id, static_cast<std::int64_t>(status), reason, now);
}

void end_all_exec_sessions(store::Tx& tx, const std::string& reason, base::Time now) {
  tx.exec("UPDATE exec_sessions SET status = 4, reason = $1, ended_at = $2, begun = 1, token_hash = '', spec = '' "
          "WHERE status < 4",
          reason, now);
}

std::vector<ExecSession> list_exec_sessions(store::Tx& tx, const ExecSessionFilter& filter) {
  static const std::string sql =
      kSelectExec +
      " WHERE account = $1 AND region = $2 AND (status >= 4) = ($3 = 1) AND ($4 = 0 OR number < $4)"
      " AND created_at >= $5 AND created_at < $6 AND ($7 = '' OR target = $7) AND ($8 = '' OR owner = $8)"
      " AND ($9 = '' OR id = $9) AND ($10 < 0 OR status = $10) ORDER BY number DESC LIMIT $11";
  constexpr std::int64_t kEndOfTime = std::int64_t{1} << 52;
  const std::int64_t status = filter.status ? static_cast<std::int64_t>(*filter.status) : -1;
  return tx
      .query(sql, filter.account, filter.region, filter.ended ? 1 : 0, filter.before,
             filter.after_time ? base::to_millis(*filter.after_time) : 0,
             filter.before_time ? base::to_millis(*filter.before_time) : kEndOfTime, filter.target.value_or(""),
             filter.owner.value_or(""), filter.id.value_or(""), status, filter.most)
      .all(read_exec_session);
}

}  // namespace state
