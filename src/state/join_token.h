// SPDX-License-Identifier: Apache-2.0
// Join tokens: each lets a number of machines join, for a while. A machine exchanges the token for a key of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "store/store.h"

namespace state {

struct JoinToken {
  std::string id, hash, account;  // `hash`: SHA-256 of the secret, in hex
  std::optional<std::string> cluster;  // "REGION/NAME"; absent: any of the account
  base::Time created_at, expires_at;
  std::int64_t uses = 1, used = 0;
  bool revoked = false;
};

// The word that a person passes to a machine: "stk1.ID.SECRET".
struct JoinWord {
  std::string id, secret;

  std::string text() const;
  std::string hash() const;
};
JoinWord new_join_word();
// Nothing for a malformed word.
std::optional<JoinWord> parse_join_word(std::string_view text);

void insert_join_token(store::Tx& tx, const JoinToken& token);
std::optional<JoinToken> find_join_token(store::Tx& tx, const std::string& id);
// By id, those after `after`.
std::vector<JoinToken> list_join_tokens(store::Tx& tx, const std::string& account, const std::string& after,
                                        std::int64_t most);
std::int64_t count_join_tokens(store::Tx& tx, const std::string& account);
void revoke_join_token(store::Tx& tx, const std::string& id);

// Counts a machine, which `machine_hash` names, and the key that it gets.
void insert_join_use(store::Tx& tx, const std::string& token, const std::string& machine_hash,
                     const std::string& access_key);
// The key that this machine got.
std::optional<std::string> find_join_use(store::Tx& tx, const std::string& token, const std::string& machine_hash);

}  // namespace state
