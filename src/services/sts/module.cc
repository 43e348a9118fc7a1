// SPDX-License-Identifier: Apache-2.0
#include "services/sts/module.h"

#include "shapes/sts/errors.h"
#include "shapes/sts/session.h"
#include "state/keys.h"

namespace services::sts {
namespace {

using namespace shapes::sts;
using wire::ApiError;

constexpr std::size_t kBodyLimit = 64u << 10;
// Amazon's: 15 minutes to 36 hours, and for a root user never more than an hour.
constexpr std::int32_t kRootSeconds = 3600;
constexpr std::int64_t kMaxSessions = 10000;
constexpr auto kKeySweepEvery = std::chrono::minutes(10);

GetCallerIdentityResponse get_caller_identity(Call& call, const GetCallerIdentityRequest&) {
  return {.UserId = call.caller.account, .Account = call.caller.account, .Arn = call.caller.arn()};
}

GetSessionTokenResponse get_session_token(Call& call, const GetSessionTokenRequest& request) {
  if (call.caller.temporary) {
    throw ApiError("AccessDenied", "Cannot call GetSessionToken with session credentials", 403);
  }
  if (request.SerialNumber || request.TokenCode) {
    throw ApiError("AccessDenied", "MultiFactorAuthentication failed: MFA devices are not supported.", 403);
  }
  const std::int32_t seconds = std::min(request.DurationSeconds.value_or(kRootSeconds), kRootSeconds);
  if (state::count_sessions(call.tx, call.caller.account, call.now) >= kMaxSessions) {
    throw ApiError("Throttling", "The account has 10000 sessions already; wait until some have ended.");
  }
  const state::Key parent{.id = call.caller.access_key, .account = call.caller.account};
  state::Key key = state::new_session_key(parent, call.now, call.now + std::chrono::seconds(seconds));
  state::insert_key(call.tx, key);
  Credentials credentials{.AccessKeyId = key.id, .SecretAccessKey = key.secret, .SessionToken = *key.session_token,
                          .Expiration = *key.expires_at};
  return {.Credentials = std::move(credentials)};
}

std::optional<ApiError> violation_error(const std::vector<wire::Violation>& violations) {
  return ApiError("ValidationError", wire::validation_message(violations));
}

Service make_service() {
  Service sts;
  sts.wire = {.name = "sts",
              .api_version = "2011-06-15",
              .xml_namespace = "https://sts.amazonaws.com/doc/2011-06-15/",
              .errors = kErrors};
  sts.signing_name = "sts";
  sts.protocols = {wire::Protocol::Query};
  sts.body_limit = kBodyLimit;
  sts.operations = {
      operation<&get_caller_identity>("GetCallerIdentity", Access::Read),
      operation<&get_session_token>("GetSessionToken", Access::Write),
  };
  sts.violation_error = &violation_error;
  return sts;
}

// Session keys expire, and those with which machines joined and did not register. Nothing wakes this topic: that a key
// stays for some minutes more does no harm.
Decision look_for_expired_keys(Call& call) {
  Decision decision;
  decision.next = call.now + kKeySweepEvery;
  if (state::has_expired_keys(call.tx, call.now)) {
    decision.apply = [](Call& write) {
      for (const std::string& id : state::end_unregistered_keys(write.tx, write.now)) write.wake(state::key_topic(id));
      state::delete_expired_keys(write.tx, write.now);
    };
  }
  return decision;
}

}  // namespace

Module module(const Options&) {
  Module sts;
  sts.service = make_service();
  sts.migrations = state::key_migrations();
  sts.loops = {{"key sweep", "keys/sweep", &look_for_expired_keys}};
  return sts;
}

}  // namespace services::sts
