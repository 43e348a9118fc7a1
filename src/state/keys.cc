// SPDX-License-Identifier: Apache-2.0
#include "state/keys.h"

#include <algorithm>

#include "base/random.h"

namespace state {
namespace {

constexpr std::string_view kIdAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr std::string_view kSecretAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kIdLetters = 16;
constexpr std::size_t kSecretLetters = 40;
constexpr std::size_t kTokenBytes = 192;

constexpr auto kExpiredFor = std::chrono::hours(24);

const std::string kSelectKey =
    "SELECT id, secret, account, session_token, expires_at, created_at, root, parent, scope, cluster, machine,"
    " register_by, role FROM access_keys";

Key read_key(const store::Row& row) {
  return {row.str(0),  row.str(1),     row.str(2),       row.maybe_str(3),                       row.maybe_time(4),
          row.time(5), row.boolean(6), row.maybe_str(7), static_cast<KeyScope>(row.integer(8)),
          row.maybe_str(9), row.maybe_str(10), row.maybe_time(11), row.maybe_str(12)};
}

}  // namespace

store::Migrations key_migrations() {
  return {"keys", {R"sql(
CREATE TABLE access_keys (
  id TEXT PRIMARY KEY,
  secret TEXT NOT NULL,
  account TEXT NOT NULL,
  session_token TEXT,
  expires_at INTEGER,
  created_at INTEGER NOT NULL,
  root INTEGER NOT NULL,
  parent TEXT                          -- of a temporary key
);
CREATE INDEX access_keys_parent ON access_keys (parent);
CREATE INDEX access_keys_account ON access_keys (account, expires_at);
)sql",
                   R"sql(
ALTER TABLE access_keys ADD COLUMN scope INTEGER NOT NULL DEFAULT 0;  -- KeyScope
)sql",
                   R"sql(
ALTER TABLE access_keys ADD COLUMN cluster TEXT;  -- "REGION/NAME": a machine's key may register only there
ALTER TABLE access_keys ADD COLUMN machine TEXT;  -- and only under this name
CREATE TABLE join_tokens (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL,                  -- SHA-256 of the secret
  account TEXT NOT NULL,
  cluster TEXT,                        -- as in access_keys
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  uses INTEGER NOT NULL,               -- machines that may join with it
  used INTEGER NOT NULL,
  revoked INTEGER NOT NULL
);
CREATE INDEX join_tokens_account ON join_tokens (account, id);
CREATE INDEX join_tokens_expiry ON join_tokens (expires_at);
CREATE TABLE join_uses (
  token TEXT NOT NULL,                 -- a row of join_tokens
  machine TEXT NOT NULL,               -- SHA-256 of the secret that the machine chose
  access_key TEXT NOT NULL,
  PRIMARY KEY (token, machine)
);
)sql",
                   R"sql(
CREATE INDEX access_keys_machines ON access_keys (account, scope, expires_at) WHERE scope = 2 AND expires_at IS NULL;
)sql",
                   R"sql(
ALTER TABLE access_keys ADD COLUMN register_by INTEGER;  -- the end of a machine's key that has not registered
CREATE INDEX access_keys_register_by ON access_keys (register_by) WHERE register_by IS NOT NULL;
)sql",
                   R"sql(
ALTER TABLE access_keys ADD COLUMN role TEXT;  -- "ROLE/SESSION": the key of an assumed role
)sql"}};
}

Key new_key(std::string account, base::Time now) {
  return {.id = "AKIA" + base::random_text(kIdLetters, kIdAlphabet),
          .secret = base::random_text(kSecretLetters, kSecretAlphabet),
          .account = std::move(account),
          .created_at = now};
}

Key new_machine_key(std::string account, base::Time now) {
  Key key = new_key(std::move(account), now);
  key.scope = KeyScope::Machine;
  return key;
}

Key new_session_key(const Key& parent, base::Time now, base::Time expires_at) {
  Key key = new_key(parent.account, now);
  key.parent = parent.id;
  key.id.replace(0, 4, "ASIA");
  key.session_token = base::to_base64(base::random_bytes(kTokenBytes));
  key.expires_at = expires_at;
  return key;
}

bool insert_key(store::Tx& tx, const Key& key) {
  return tx.exec("INSERT INTO access_keys (id, secret, account, session_token, expires_at, created_at, root, parent,"
                 " scope, cluster, machine, register_by, role) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
                 " ON CONFLICT (id) DO NOTHING",
                 key.id, key.secret, key.account, key.session_token, key.expires_at, key.created_at, key.root,
                 key.parent, static_cast<int>(key.scope), key.cluster, key.machine, key.register_by, key.role) == 1;
}

std::vector<std::string> delete_key(store::Tx& tx, const std::string& id) {
  return tx.query("DELETE FROM access_keys WHERE id = $1 OR parent = $1 RETURNING id", id)
      .all([](const store::Row& row) { return row.str(0); });
}

std::vector<std::string> retire_machine_key(store::Tx& tx, const std::string& id, base::Time now) {
  auto ended = tx.query("DELETE FROM access_keys WHERE parent = $1 RETURNING id", id).all([](const store::Row& row) {
    return row.str(0);
  });
  // With another secret it stays unusable where the clock is set back.
  const auto retired = tx.exec("UPDATE access_keys SET expires_at = $2, register_by = NULL, secret = $3 WHERE id = $1 AND scope = $4", id, now,
                               base::random_text(kSecretLetters, kSecretAlphabet), static_cast<int>(KeyScope::Machine));
  if (retired == 1) ended.push_back(id);
  return ended;
}

void keep_machine_key(store::Tx& tx, const std::string& id) {
  tx.exec("UPDATE access_keys SET register_by = NULL WHERE id = $1", id);
}

void restrict_machine_key(store::Tx& tx, const std::string& id, const std::string& cluster) {
  tx.exec("UPDATE access_keys SET cluster = $2 WHERE id = $1", id, cluster);
}

std::vector<std::string> end_unregistered_keys(store::Tx& tx, base::Time now) {
  return tx
      .query("UPDATE access_keys SET expires_at = $1, register_by = NULL WHERE register_by <= $1 RETURNING id", now)
      .all([](const store::Row& row) { return row.str(0); });
}

std::vector<Key> list_keys(store::Tx& tx) {
  static const std::string sql = kSelectKey + " WHERE expires_at IS NULL ORDER BY created_at, id";
  return tx.query(sql).all(read_key);
}

// The index is for this scope, and used only where the statement names it. Each machine that joins counts all others.
static_assert(static_cast<int>(KeyScope::Machine) == 2);
const char kCountMachineKeys[] =
    "SELECT count(*) FROM access_keys WHERE account = $1 AND scope = 2 AND expires_at IS NULL";

std::int64_t count_machine_keys(store::Tx& tx, const std::string& account) {
  return tx.query(kCountMachineKeys, account).integer();
}

std::int64_t count_sessions(store::Tx& tx, const std::string& account, base::Time now) {
  return tx.query("SELECT count(*) FROM access_keys WHERE account = $1 AND expires_at > $2", account, now).integer();
}

std::optional<Key> find_key(store::Tx& tx, const std::string& id) {
  static const std::string sql = kSelectKey + " WHERE id = $1";
  return tx.query(sql, id).one(read_key);
}

void delete_expired_keys(store::Tx& tx, base::Time now) {
  tx.exec("DELETE FROM access_keys WHERE expires_at <= $1", now - kExpiredFor);
  tx.exec("DELETE FROM join_uses WHERE token IN (SELECT id FROM join_tokens WHERE expires_at <= $1)", now - kExpiredFor);
  tx.exec("DELETE FROM join_tokens WHERE expires_at <= $1", now - kExpiredFor);
}

bool has_expired_keys(store::Tx& tx, base::Time now) {
  const base::Time since = now - kExpiredFor;
  return tx.query("SELECT 1 FROM access_keys WHERE expires_at <= $1 LIMIT 1", since).integer() == 1 ||
         tx.query("SELECT 1 FROM join_tokens WHERE expires_at <= $1 LIMIT 1", since).integer() == 1 ||
         tx.query("SELECT 1 FROM access_keys WHERE register_by <= $1 LIMIT 1", now).integer() == 1;
}

Key ensure_root_key(store::Tx& tx, const std::string& account, base::Time now) {
  auto existing = tx.query(kSelectKey + " WHERE root = 1").one(read_key);
  if (existing) return *existing;
  Key key = new_key(account, now);
  key.root = true;
  insert_key(tx, key);
  return key;
}

bool valid_account(std::string_view account) {
  return account.size() == 12 && account.find_first_not_of("0123456789") == account.npos;
}

// Amazon's rule is 16 to 128 word characters. Shorter ones are allowed, because clients come with keys such as
// "test".
bool valid_key_id(std::string_view id) {
  return !id.empty() && id.size() <= 128 && std::all_of(id.begin(), id.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-' || c == '.';
  });
}

}  // namespace state
