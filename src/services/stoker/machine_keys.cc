// SPDX-License-Identifier: Apache-2.0
#include "services/stoker/machine_keys.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "services/page.h"
#include "state/join_token.h"
#include "state/keys.h"
#include "state/machine.h"
#include "wire/timestamp.h"

namespace services::stoker {
namespace {

using namespace shapes::stoker;
using wire::ApiError;

constexpr std::int32_t kDefaultTtlSeconds = 3600, kMinTtlSeconds = 60, kMaxTtlSeconds = 30 * 24 * 3600;
constexpr std::int32_t kMaxUses = 10000;
constexpr std::int64_t kMaxTokens = 1000;         // of an account, until a day after they expired
constexpr std::int64_t kMaxMachineKeys = 20000;   // of an account
// A machine registers at once after it has joined; where that fails, people have some days to find the reason.
constexpr base::Duration kRegisterWithin = std::chrono::hours(7 * 24);
constexpr std::int32_t kTokensPerPage = 100;
constexpr char kHowToJoin[] = "Create another one with `stoker token`.";
constexpr std::size_t kMinMachineSecret = 32, kMaxMachineSecret = 128;  // of the secret that a machine chooses

ApiError invalid_token(const std::string& message) {
  return ApiError("InvalidJoinTokenException", message, 403);
}

std::int32_t check_range(const char* name, std::int32_t value, std::int32_t least, std::int32_t most) {
  if (value >= least && value <= most) return value;
  throw ApiError("ValidationException",
                 std::string(name) + " must be " + std::to_string(least) + " to " + std::to_string(most) + ".");
}

// Other accounts are for the root key.
std::string own_account(const Call& call, const std::optional<std::string>& requested) {
  const std::string account = requested.value_or(call.caller.account);
  if (!state::valid_account(account)) throw ApiError("ValidationException", "An account is 12 digits, not '" + account + "'.");
  if (account != call.caller.account && !call.caller.root) {
    throw ApiError("AccessDeniedException", "Only the root key may act for another account.");
  }
  return account;
}

// A temporary key must not make what outlives it.
void check_lasting(const Call& call) {
  if (call.caller.temporary) throw ApiError("AccessDeniedException", "Temporary credentials may not add machines.");
}

std::optional<std::string> home_of(const Call& call, const std::optional<std::string>& cluster) {
  if (!cluster) return std::nullopt;
  const bool named = !cluster->empty() && cluster->size() <= 255 && cluster->find('/') == cluster->npos;
  if (!named) throw ApiError("ValidationException", "Invalid cluster name.");
  return call.caller.region + "/" + *cluster;
}

std::string status_of(const state::JoinToken& token, base::Time now) {
  if (token.revoked) return "REVOKED";
  if (token.used >= token.uses) return "USED";
  return token.expires_at <= now ? "EXPIRED" : "ACTIVE";
}

JoinToken show(const state::JoinToken& token, base::Time now) {
  JoinToken shown;
  shown.id = token.id;
  shown.account = token.account;
  shown.cluster = token.cluster;
  shown.createdAt = token.created_at;
  shown.expiresAt = token.expires_at;
  shown.uses = static_cast<std::int32_t>(token.uses);
  shown.used = static_cast<std::int32_t>(token.used);
  shown.status = status_of(token, now);
  return shown;
}

void insert_machine_key(Call& call, const state::Key& key) {
  if (state::count_machine_keys(call.tx, key.account) >= kMaxMachineKeys) {
    throw ApiError("LimitExceededException", "The account has 20000 keys of machines already.");
  }
  state::insert_key(call.tx, key);
}

CreateJoinTokenResponse create_join_token(Call& call, const CreateJoinTokenRequest& request) {
  check_lasting(call);
  const auto ttl = check_range("ttlSeconds", request.ttlSeconds.value_or(kDefaultTtlSeconds), kMinTtlSeconds, kMaxTtlSeconds);
  const state::JoinWord word = state::new_join_word();
  state::JoinToken token;
  token.id = word.id;
  token.hash = word.hash();
  token.account = own_account(call, request.account);
  token.cluster = home_of(call, request.cluster);
  token.created_at = call.now;
  token.expires_at = call.now + std::chrono::seconds(ttl);
  token.uses = check_range("uses", request.uses.value_or(1), 1, kMaxUses);
  if (state::count_join_tokens(call.tx, token.account) >= kMaxTokens) {
    throw ApiError("LimitExceededException",
                   "The account has 1000 join tokens already. They are deleted a day after they expired.");
  }
  state::insert_join_token(call.tx, token);
  JoinToken shown = show(token, call.now);
  shown.token = word.text();
  return {std::move(shown)};
}

ListJoinTokensResponse list_join_tokens(Call& call, const ListJoinTokensRequest& request) {
  const PageRules rules{.most = kTokensPerPage,
                        .invalid_size = [](std::int32_t) { return ApiError("ValidationException", "Invalid page size."); },
                        .invalid_token = [](const std::string&) {
                          return ApiError("ValidationException", "The nextToken is invalid.");
                        }};
  const Page page = read_page(std::nullopt, request.nextToken, rules);
  const auto tokens = state::list_join_tokens(call.tx, own_account(call, request.account), page.after, page.size + 1);
  std::vector<std::string> ids;
  for (const state::JoinToken& token : tokens) ids.push_back(token.id);
  ListJoinTokensResponse response;
  response.nextToken = cut_page(ids, page);
  for (std::size_t i = 0; i < ids.size(); ++i) response.joinTokens.push_back(show(tokens[i], call.now));
  return response;
}

void revoke_join_token(Call& call, const RevokeJoinTokenRequest& request) {
  const auto token = state::find_join_token(call.tx, request.id);
  if (!token || (token->account != call.caller.account && !call.caller.root)) {
    throw ApiError("JoinTokenNotFoundException", "The join token '" + request.id + "' does not exist.");
  }
  state::revoke_join_token(call.tx, request.id);
}

CreateMachineKeyResponse create_machine_key(Call& call, const CreateMachineKeyRequest& request) {
  check_lasting(call);
  state::Key key = state::new_machine_key(own_account(call, request.account), call.now);
  key.cluster = home_of(call, request.cluster);
  insert_machine_key(call, key);
  return {Key{.id = key.id, .secret = key.secret, .account = key.account, .createdAt = key.created_at, .root = false,
              .machine = ""}};
}

// The key that this machine got before, unless it has registered or was removed since: what was sent once is not sent
// again to whoever has copied the request.
state::Key repeated_key(Call& call, const std::string& id) {
  auto key = state::find_key(call.tx, id);
  if (key && !key->expires_at && !state::has_registered(call.tx, id)) return std::move(*key);
  throw invalid_token("This machine has joined with this token before, and has registered or was removed since. " +
                      std::string(kHowToJoin));
}

// Throws where the token is invalid. Nothing where this machine did not use it yet.
std::optional<state::Key> find_key_of(Call& call, const JoinRequest& request, const state::JoinToken& token) {
  if (token.revoked) throw invalid_token("The join token was revoked. " + std::string(kHowToJoin));
  if (const auto used = state::find_join_use(call.tx, token.id, base::to_hex(base::sha256(request.machine)))) {
    return repeated_key(call, *used);
  }
  if (token.expires_at <= call.now) {
    throw invalid_token("The join token expired at " + wire::to_iso8601(token.expires_at) + ". " + kHowToJoin);
  }
  if (token.used >= token.uses) {
    throw invalid_token("The join token was used by " + std::to_string(token.used) +
                        (token.used == 1 ? " machine" : " machines") + ", and is for no more. " + kHowToJoin);
  }
  return std::nullopt;
}

ApiError unknown_token() { return invalid_token("The join token is invalid. " + std::string(kHowToJoin)); }

state::JoinWord parse_join_request(const JoinRequest& request) {
  auto word = state::parse_join_word(request.token);
  if (!word) throw unknown_token();
  if (request.machine.size() < kMinMachineSecret || request.machine.size() > kMaxMachineSecret) {
    throw ApiError("ValidationException", "`machine` must have 32 to 128 bytes.");
  }
  return std::move(*word);
}

state::JoinToken find_token(Call& call, const JoinRequest& request) {
  const state::JoinWord word = parse_join_request(request);
  auto token = state::find_join_token(call.tx, word.id);
  if (!token || !base::equals_in_constant_time(token->hash, word.hash())) throw unknown_token();
  return std::move(*token);
}

}  // namespace

void check_join_request(const JoinRequest& request) { parse_join_request(request); }

void check_join(Call& call, const JoinRequest& request) { find_key_of(call, request, find_token(call, request)); }

JoinResponse join(Call& call, const JoinRequest& request) {
  const state::JoinToken token = find_token(call, request);
  if (const auto repeated = find_key_of(call, request, token)) return {repeated->id, repeated->secret};
  state::Key key = state::new_machine_key(token.account, call.now);
  key.cluster = token.cluster;
  key.register_by = call.now + kRegisterWithin;
  insert_machine_key(call, key);
  state::insert_join_use(call.tx, token.id, base::to_hex(base::sha256(request.machine)), key.id);
  return {key.id, key.secret};
}

std::vector<Operation> machine_key_operations() {
  return {operation<&create_join_token>("CreateJoinToken", Access::Write),
          operation<&create_machine_key>("CreateMachineKey", Access::Write),
          operation<&list_join_tokens>("ListJoinTokens", Access::Read),
          operation<&revoke_join_token>("RevokeJoinToken", Access::Write)};
}

}  // namespace services::stoker
