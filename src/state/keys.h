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
enum class KeyScope { Account = 0, Task = 1, Machine = 2 };

struct Key {
  std::string id, secret, account;
  std::optional<std::string> session_token;  // of a temporary key
  std::optional<base::Time> expires_at;
  base::Time created_at;
  bool root = false;  // created at first start; only it can create others
  std::optional<std::string> parent = {};  // of a temporary key, which ends with it
  KeyScope scope = KeyScope::Account;
  // Of a machine's key: the only cluster ("REGION/NAME") and the only name that it may register with; absent: any.
  std::optional<std::string> cluster = {}, machine = {};
  // Of a key that a machine got for a join token: it ends then, unless the machine has registered.
  std::optional<base::Time> register_by = {};
  std::optional<std::string> role = {};  // "ROLE/SESSION": the key of an assumed role
};

// Woken when that key was deleted.
inline constexpr std::string_view kKeyTopicPrefix = "keys/";
inline std::string key_topic(const std::string& id) { return std::string(kKeyTopicPrefix) + id; }

store::Migrations key_migrations();

Key new_key(std::string account, base::Time now);
// A key with which an agent joins as one machine.
Key new_machine_key(std::string account, base::Time now);
// A key that expires at `expires_at` and is valid only with its token.
Key new_session_key(const Key& parent, base::Time now, base::Time expires_at);

// False where the id is taken.
bool insert_key(store::Tx& tx, const Key& key);
// With its temporary keys; returns the ids of all deleted keys.
std::vector<std::string> delete_key(store::Tx& tx, const std::string& id);
// Ends the key of a machine that was removed, with the keys of its tasks; returns the ids of all ended keys. The row
// stays for a day, so that requests with it fail with "expired": so its agent learns that the machine was removed.
std::vector<std::string> retire_machine_key(store::Tx& tx, const std::string& id, base::Time now);
// The machine has registered: its key stays.
void keep_machine_key(store::Tx& tx, const std::string& id);
// From now on the machine's key is for this cluster only, "REGION/NAME".
void restrict_machine_key(store::Tx& tx, const std::string& id, const std::string& cluster);
// Ends the keys of machines that have not registered in time; returns their ids.
std::vector<std::string> end_unregistered_keys(store::Tx& tx, base::Time now);
// Keys without an expiry.
std::vector<Key> list_keys(store::Tx& tx);
std::optional<Key> find_key(store::Tx& tx, const std::string& id);
// Keys of machines, without those that were removed.
extern const char kCountMachineKeys[];
std::int64_t count_machine_keys(store::Tx& tx, const std::string& account);
std::int64_t count_sessions(store::Tx& tx, const std::string& account, base::Time now);
// And join tokens. A while after they expired: until then requests with them fail with "expired".
void delete_expired_keys(store::Tx& tx, base::Time now);
// Is there anything for it to delete, or any key for end_unregistered_keys()?
bool has_expired_keys(store::Tx& tx, base::Time now);

// The root key, created here if it does not exist yet.
Key ensure_root_key(store::Tx& tx, const std::string& account, base::Time now);

bool valid_account(std::string_view account);
bool valid_key_id(std::string_view id);

}  // namespace state
