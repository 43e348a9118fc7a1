// SPDX-License-Identifier: Apache-2.0
#include "services/stoker/module.h"

#include "services/stoker/accounts.h"
#include "services/stoker/machine_keys.h"
#include "services/stoker/webhooks.h"
#include "shapes/stoker/key.h"
#include "shapes/stoker/names.h"
#include "state/keys.h"
#include "state/machine.h"

namespace services::stoker {
namespace {

using namespace shapes::stoker;
using wire::ApiError;

constexpr std::size_t kBodyLimit = 8u << 20;
constexpr std::size_t kMaxImported = 10000;
constexpr std::size_t kMaxSecret = 1024;

void require_root(const Call& call) {
  if (!call.caller.root) throw ApiError("AccessDeniedException", "Only the root key may manage access keys.");
}

std::string account_of(const Call& call, const std::optional<std::string>& requested) {
  const std::string account = requested.value_or(call.caller.account);
  if (!state::valid_account(account)) throw ApiError("ValidationException", "An account is 12 digits, not '" + account + "'.");
  return account;
}

Key show(const state::Key& key, bool with_secret) {
  Key shown{key.id, std::nullopt, key.account, key.created_at, key.root, std::nullopt};
  if (with_secret) shown.secret = key.secret;
  return shown;
}

CreateKeyResponse create_key(Call& call, const CreateKeyRequest& request) {
  require_root(call);
  state::Key key = state::new_key(account_of(call, request.account), call.now);
  state::insert_key(call.tx, key);
  return {show(key, true)};
}

ImportKeysResponse import_keys(Call& call, const ImportKeysRequest& request) {
  require_root(call);
  if (request.keys.size() > kMaxImported) {
    throw ApiError("ValidationException", "At most 10000 keys can be imported at once.");
  }
  ImportKeysResponse response;
  for (const KeyPair& pair : request.keys) {
    if (!state::valid_key_id(pair.id)) throw ApiError("ValidationException", "'" + pair.id + "' is not a valid access key id.");
    if (pair.secret.empty() || pair.secret.size() > kMaxSecret) {
      throw ApiError("ValidationException", "The secret of key '" + pair.id + "' is empty or too long.");
    }
    const std::string account = account_of(call, pair.account ? pair.account : request.account);
    state::Key key{.id = pair.id, .secret = pair.secret, .account = account, .created_at = call.now};
    auto existing = state::find_key(call.tx, key.id);
    if (existing && (existing->secret != key.secret || existing->account != account)) {
      throw ApiError("KeyExistsException", "Key '" + pair.id + "' already exists with another secret or account. "
                                           "Nothing was imported.");
    }
    if (!existing) state::insert_key(call.tx, key);
    response.keys.push_back(show(key, false));
  }
  return response;
}

ListKeysResponse list_keys(Call& call, const ListKeysRequest&) {
  require_root(call);
  ListKeysResponse response;
  for (const state::Key& key : state::list_keys(call.tx)) {
    response.keys.push_back(show(key, false));
    if (key.scope != state::KeyScope::Machine) continue;
    const auto machine = state::find_machine_by_key(call.tx, key.id);
    response.keys.back().machine = machine ? machine->name : "";
  }
  return response;
}

void delete_key(Call& call, const DeleteKeyRequest& request) {
  require_root(call);
  auto key = state::find_key(call.tx, request.id);
  const bool of_machine = key && key->scope == state::KeyScope::Machine;
  if (!key || (of_machine && key->expires_at)) {
    throw ApiError("KeyNotFoundException", "Key '" + request.id + "' does not exist.");
  }
  if (key->root) throw ApiError("ValidationException", "The root key can't be deleted.");
  const auto ended = of_machine ? state::retire_machine_key(call.tx, request.id, call.now)
                                : state::delete_key(call.tx, request.id);
  for (const std::string& id : ended) call.wake(state::key_topic(id));
}

std::optional<ApiError> violation_error(const std::vector<wire::Violation>& violations) {
  return ApiError("ValidationException", wire::validation_message(violations));
}

Service make_service() {
  Service stoker;
  stoker.wire = kService;
  stoker.signing_name = "stoker";
  stoker.protocols = {wire::Protocol::Json11};
  stoker.body_limit = kBodyLimit;
  stoker.operations = {
      operation<&create_key>("CreateKey", Access::Write),
      operation<&delete_key>("DeleteKey", Access::Write),
      operation<&import_keys>("ImportKeys", Access::Write),
      operation<&list_keys>("ListKeys", Access::Read),
  };
  for (const Operation& row : machine_key_operations()) stoker.operations.push_back(row);
  for (const Operation& row : account_operations()) stoker.operations.push_back(row);
  for (const Operation& row : webhook_operations()) stoker.operations.push_back(row);
  stoker.violation_error = &violation_error;
  return stoker;
}

}  // namespace

Module module(const Options& options) {
  Module stoker;
  stoker.service = make_service();
  stoker.internal_operations = internal_webhook_operations();
  stoker.migrations = webhook_migrations();
  stoker.add_memory = [quotas = options.quotas](Locals& locals) { locals.add<Quotas>(quotas); };
  stoker.gauges = &account_gauges;
  return stoker;
}

}  // namespace services::stoker
