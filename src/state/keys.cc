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
    "SELECT id, secret, account, session_token, expires_at, created_at, root, parent, scope FROM access_keys";

Key read_key(const store::Row& row) {
  return {row.str(0),  row.str(1),     row.str(2),       row.maybe_str(3),                       row.maybe_time(4),
          row.time(5), row.boolean(6), row.maybe_str(7), static_cast<KeyScope>(row.integer(8))};
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
)sql"}};
}

Key new_key(std::string account, base::Time now) {
  return {.id = "AKIA" + base::random_text(kIdLetters, kIdAlphabet),
          .secret = base::random_text(kSecretLetters, kSecretAlphabet),
          .account = std::move(account),
          .created_at = now};
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
                 " scope) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING",
                 key.id, key.secret, key.account, key.session_token, key.expires_at, key.created_at, key.root,
                 key.parent, static_cast<int>(key.scope)) == 1;
}

std::vector<std::string> delete_key(store::Tx& tx, const std::string& id) {
  return tx.query("DELETE FROM access_keys WHERE id = $1 OR parent = $1 RETURNING id", id)
      .all([](const store::Row& row) { return row.str(0); });
}

std::vector<Key> list_keys(store::Tx& tx) {
  static const std::string sql = kSelectKey + " WHERE expires_at IS NULL ORDER BY created_at, id";
  return tx.query(sql).all(read_key);
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
}

bool has_expired_keys(store::Tx& tx, base::Time now) {
  return tx.query("SELECT 1 FROM access_keys WHERE expires_at <= $1 LIMIT 1", now - kExpiredFor).integer() == 1;
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
