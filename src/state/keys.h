// SPDX-License-Identifier: Apache-2.0
// Access keys: each belongs to an account, and no request is accepted without one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "store/store.h"

namespace state {

// What a key is for. Keys of people and programs may do all that their account may.
enum class KeyScope { Account = 0, Task = 1 };

struct Key {
  std::string id, secret, account;
  std::optional<std::string> session_token;  // of a temporary key
  std::optional<base::Time> expires_at;
  base::Time created_at;
  bool root = false;  // created at first start; only it can create others
  std::optional<std::string> parent = {};  // of a temporary key, which ends with it
  KeyScope scope = KeyScope::Account;
};

// Woken when that key was deleted.
inline constexpr std::string_view kKeyTopicPrefix = "keys/";
inline std::string key_topic(const std::string& id) { return std::string(kKeyTopicPrefix) + id; }

store::Migrations key_migrations();

Key new_key(std::string account, base::Time now);
// A key that expires at `expires_at` and is valid only with its token.
Key new_session_key(const Key& parent, base::Time now, base::Time expires_at);

// False where the id is taken.
bool insert_key(store::Tx& tx, const Key& key);
// With its temporary keys; returns the ids of all deleted keys.
std::vector<std::string> delete_key(store::Tx& tx, const std::string& id);
// Keys without an expiry.
std::vector<Key> list_keys(store::Tx& tx);
std::optional<Key> find_key(store::Tx& tx, const std::string& id);
std::int64_t count_sessions(store::Tx& tx, const std::string& account, base::Time now);
// A while after they expired: until then requests with them fail with "expired".
void delete_expired_keys(store::Tx& tx, base::Time now);
// Is there anything for it to delete?
bool has_expired_keys(store::Tx& tx, base::Time now);

// The root key, created here if it does not exist yet.
Key ensure_root_key(store::Tx& tx, const std::string& account, base::Time now);

bool valid_account(std::string_view account);
bool valid_key_id(std::string_view id);

}  // namespace state
