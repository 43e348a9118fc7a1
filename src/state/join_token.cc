// SPDX-License-Identifier: Apache-2.0
#include "state/join_token.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/random.h"

namespace state {
namespace {

constexpr std::string_view kPrefix = "stk1.";
constexpr std::string_view kTokenIdAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::string_view kTokenSecretAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::size_t kTokenIdLetters = 12;
constexpr std::size_t kTokenSecretLetters = 40;

const std::string kSelectToken =
    "SELECT id, hash, account, cluster, created_at, expires_at, uses, used, revoked FROM join_tokens";

JoinToken read_token(const store::Row& row) {
  JoinToken token;
  token.id = row.str(0);
  token.hash = row.str(1);
  token.account = row.str(2);
  token.cluster = row.maybe_str(3);
  token.created_at = row.time(4);
  token.expires_at = row.time(5);
  token.uses = row.integer(6);
  token.used = row.integer(7);
  token.revoked = row.boolean(8);
  return token;
}

}  // namespace

std::string JoinWord::text() const { return std::string(kPrefix) + id + "." + secret; }

std::string JoinWord::hash() const { return base::to_hex(base::sha256(secret)); }

JoinWord new_join_word() {
  return {base::random_text(kTokenIdLetters, kTokenIdAlphabet), base::random_text(kTokenSecretLetters, kTokenSecretAlphabet)};
}

std::optional<JoinWord> parse_join_word(std::string_view text) {
  if (text.size() != kPrefix.size() + kTokenIdLetters + 1 + kTokenSecretLetters || !text.starts_with(kPrefix)) return std::nullopt;
  const std::string_view id = text.substr(kPrefix.size(), kTokenIdLetters);
  const std::string_view secret = text.substr(text.size() - kTokenSecretLetters);
  if (text[kPrefix.size() + kTokenIdLetters] != '.' || id.find_first_not_of(kTokenIdAlphabet) != id.npos ||
      secret.find_first_not_of(kTokenSecretAlphabet) != secret.npos) {
    return std::nullopt;
  }
  return JoinWord{std::string(id), std::string(secret)};
}

void insert_join_token(store::Tx& tx, const JoinToken& token) {
  tx.exec("INSERT INTO join_tokens (id, hash, account, cluster, created_at, expires_at, uses, used, revoked)"
          " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
          token.id, token.hash, token.account, token.cluster, token.created_at, token.expires_at, token.uses, token.used,
          token.revoked);
}

std::optional<JoinToken> find_join_token(store::Tx& tx, const std::string& id) {
  static const std::string sql = kSelectToken + " WHERE id = $1";
  return tx.query(sql, id).one(read_token);
}

std::vector<JoinToken> list_join_tokens(store::Tx& tx, const std::string& account, const std::string& after,
                                        std::int64_t most) {
  static const std::string sql = kSelectToken + " WHERE account = $1 AND id > $2 ORDER BY id LIMIT $3";
  return tx.query(sql, account, after, most).all(read_token);
}

std::int64_t count_join_tokens(store::Tx& tx, const std::string& account) {
  return tx.query("SELECT count(*) FROM join_tokens WHERE account = $1", account).integer();
}

void revoke_join_token(store::Tx& tx, const std::string& id) {
  tx.exec("UPDATE join_tokens SET revoked = 1 WHERE id = $1", id);
}

void insert_join_use(store::Tx& tx, const std::string& token, const std::string& machine_hash,
                     const std::string& access_key) {
  tx.exec("UPDATE join_tokens SET used = used + 1 WHERE id = $1", token);
  tx.exec("INSERT INTO join_uses (token, machine, access_key) VALUES ($1, $2, $3)", token, machine_hash, access_key);
}

std::optional<std::string> find_join_use(store::Tx& tx, const std::string& token, const std::string& machine_hash) {
  return tx.query("SELECT access_key FROM join_uses WHERE token = $1 AND machine = $2", token, machine_hash)
      .one([](const store::Row& row) { return row.str(0); });
}

}  // namespace state
