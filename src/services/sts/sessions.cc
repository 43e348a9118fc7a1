// SPDX-License-Identifier: Apache-2.0
#include "services/sts/sessions.h"

#include <algorithm>
#include <cctype>

#include "base/hash.h"
#include "services/arn.h"
#include "state/keys.h"

namespace services::sts {
namespace {

using namespace shapes::sts;
using wire::ApiError;

// Amazon's: 15 minutes to 36 hours, and for a root user never more than an hour.
constexpr std::int32_t kRootSeconds = 3600;
// Amazon's default, and its limit for a role that assumes a role.
constexpr std::int32_t kRoleSeconds = 3600;
constexpr std::int64_t kMaxSessions = 10000;

constexpr std::string_view kRoleIdLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr std::size_t kRoleIdLength = 17;

// As of Amazon's roles: "AROA" and 17 characters. There is no role that could have an id, so it follows from the name.
std::string role_id(const std::string& account, std::string_view role) {
  const std::string hash = base::sha256("role " + account + "/" + std::string(role));
  std::string id = "AROA";
  for (std::size_t i = 0; i < kRoleIdLength; ++i) {
    id += kRoleIdLetters[static_cast<unsigned char>(hash[i]) % kRoleIdLetters.size()];
  }
  return id;
}

std::string assumed_role_arn(const std::string& account, const std::string& role) {
  return "arn:aws:sts::" + account + ":assumed-role/" + role;
}

// `role`: "ROLE/SESSION". Amazon's user id of an assumed role.
std::string assumed_role_id(const std::string& account, const std::string& role) {
  const std::size_t slash = role.find('/');
  return role_id(account, std::string_view(role).substr(0, slash)) + ":" + role.substr(slash + 1);
}

// "ROLE/SESSION" of the caller; "" where it is no assumed role.
std::string caller_role(Call& call) {
  if (!call.caller.temporary) return "";
  const auto key = state::find_key(call.tx, call.caller.access_key);
  return key ? key->role.value_or("") : "";
}

std::string identity_arn(Call& call) {
  const std::string role = caller_role(call);
  return role.empty() ? call.caller.arn() : assumed_role_arn(call.caller.account, role);
}

void reject_mfa(const std::optional<std::string>& serial_number, const std::optional<std::string>& token_code) {
  if (!serial_number && !token_code) return;
  throw ApiError("AccessDenied", "MultiFactorAuthentication failed: MFA devices are not supported.", 403);
}

state::Key insert_session(Call& call, const state::Key& parent, std::int32_t seconds, std::string role = {}) {
  if (state::count_sessions(call.tx, call.caller.account, call.now) >= kMaxSessions) {
    throw ApiError("Throttling", "The account has 10000 sessions already; wait until some have ended.");
  }
  state::Key key = state::new_session_key(parent, call.now, call.now + std::chrono::seconds(seconds));
  if (!role.empty()) key.role = std::move(role);
  // What a task's key may not do, a role that the task assumes may not do either.
  if (call.caller.task) key.scope = state::KeyScope::Task;
  state::insert_key(call.tx, key);
  return key;
}

Credentials credentials_of(const state::Key& key) {
  return {.AccessKeyId = key.id, .SecretAccessKey = key.secret, .SessionToken = *key.session_token,
          .Expiration = *key.expires_at};
}

// Members that would limit or describe the session by rules that do not exist here.
void check_supported(const AssumeRoleRequest& request) {
  const char* name = request.Policy                ? "Policy"
                     : request.PolicyArns          ? "PolicyArns"
                     : request.Tags                ? "Tags"
                     : request.TransitiveTagKeys   ? "TransitiveTagKeys"
                     : request.ProvidedContexts    ? "ProvidedContexts"
                                                   : nullptr;
  if (name) throw ApiError("ValidationError", std::string(name) + " is not supported by Stoker: there is no IAM.");
  reject_mfa(request.SerialNumber, request.TokenCode);
}

void check_text(const std::string& text, std::string_view member) {
  const bool valid = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_+=,.@-").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (valid) return;
  throw ApiError("ValidationError", "1 validation error detected: Value '" + text + "' at '" + std::string(member) +
                                        "' failed to satisfy constraint: Member must satisfy regular expression "
                                        "pattern: [\\w+=,.@-]*");
}

// The name of a role of the caller's account, without its path.
std::string role_name(Call& call, const std::string& text) {
  const auto arn = parse_arn(text, "iam");
  constexpr std::string_view kRole = "role/";
  if (!arn || !arn->region.empty() || !is_account_id(arn->account) || !arn->resource.starts_with(kRole) ||
      arn->resource.ends_with('/')) {
    throw ApiError("ValidationError", text + " is invalid");
  }
  if (arn->account != call.caller.account) {
    throw ApiError("AccessDenied",
                   "User: " + identity_arn(call) +
                       " is not authorized to perform: sts:AssumeRole on resource: " + text,
                   403);
  }
  return std::string(arn->resource.substr(arn->resource.rfind('/') + 1));
}

}  // namespace

GetCallerIdentityResponse get_caller_identity(Call& call, const GetCallerIdentityRequest&) {
  const std::string &account = call.caller.account, role = caller_role(call);
  const std::string id = role.empty() ? account : assumed_role_id(account, role);
  return {.UserId = id, .Account = account, .Arn = identity_arn(call)};
}

GetSessionTokenResponse get_session_token(Call& call, const GetSessionTokenRequest& request) {
  if (call.caller.temporary) {
    throw ApiError("AccessDenied", "Cannot call GetSessionToken with session credentials", 403);
  }
  reject_mfa(request.SerialNumber, request.TokenCode);
  const std::int32_t seconds = std::min(request.DurationSeconds.value_or(kRootSeconds), kRootSeconds);
  const state::Key parent{.id = call.caller.access_key, .account = call.caller.account};
  return {.Credentials = credentials_of(insert_session(call, parent, seconds))};
}

AssumeRoleResponse assume_role(Call& call, const AssumeRoleRequest& request) {
  check_text(request.RoleSessionName, "roleSessionName");
  if (request.SourceIdentity) check_text(*request.SourceIdentity, "sourceIdentity");
  check_supported(request);
  const std::string role = role_name(call, request.RoleArn) + "/" + request.RoleSessionName;
  const std::int32_t seconds = request.DurationSeconds.value_or(kRoleSeconds);
  const bool chained = call.caller.task || !caller_role(call).empty();
  if (chained && seconds > kRoleSeconds) {
    throw ApiError("ValidationError",
                   "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining");
  }
  // A session ends with the lasting key that it comes from.
  state::Key parent{.id = call.caller.access_key, .account = call.caller.account};
  if (auto own = call.caller.temporary ? state::find_key(call.tx, parent.id) : std::nullopt; own && own->parent) {
    parent.id = *own->parent;
  }
  const state::Key key = insert_session(call, parent, seconds, role);
  AssumedRoleUser user{.AssumedRoleId = assumed_role_id(call.caller.account, role),
                       .Arn = assumed_role_arn(call.caller.account, role)};
  return {.Credentials = credentials_of(key), .AssumedRoleUser = std::move(user),
          .SourceIdentity = request.SourceIdentity};
}

std::vector<Operation> session_operations() {
  return {
      operation<&get_caller_identity>("GetCallerIdentity", Access::Read),
      operation<&get_session_token>("GetSessionToken", Access::Write),
      operation<&assume_role>("AssumeRole", Access::Write),
  };
}

}  // namespace services::sts
