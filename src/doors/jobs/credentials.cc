// SPDX-License-Identifier: Apache-2.0
#include "doors/jobs/credentials.h"

#include "api/decode.h"
#include "base/bytes.h"
#include "doors/jobs/problem.h"
#include "wire/error.h"

namespace doors::jobs {
namespace asio = boost::asio;
namespace {

constexpr char kSigningName[] = "pipelines";
constexpr std::string_view kBearer = "Bearer ";
constexpr char kHowTo[] =
    "Send `Authorization: Bearer stk_...` with a key of the pipeline (stoker pipeline key create), or sign the request "
    "(SigV4, service pipelines).";

std::size_t count_of(const base::Headers& headers, std::string_view name) {
  std::size_t count = 0;
  for (const auto& [known, value] : headers) count += base::equals_ignoring_case(known, name);
  return count;
}

}  // namespace

asio::awaitable<Credentials> Credentials::find(api::Authenticator& authenticator, const http::Exchange& exchange,
                                               const std::string& request_id, signing::ClaimResult claim) {
  Credentials found;
  if (count_of(exchange.head().headers, "Authorization") > 1) {
    throw Problem(400, "The request has several Authorization headers.");
  }
  const std::string_view header = exchange.head().headers.get("Authorization");
  if (base::equals_ignoring_case(header.substr(0, kBearer.size()), kBearer)) {
    found.bearer_ = base::trim(header.substr(kBearer.size()));
    if (found.bearer_.empty()) throw unauthorized(std::string("The key is empty. ") + kHowTo);
  } else if (claim.error == signing::AuthError::Missing || claim.problem == signing::ClaimProblem::Scheme) {
    throw unauthorized(std::string("The request has no key. ") + kHowTo);
  } else {
    std::string refused;
    try {
      found.signer_ = co_await authenticator.find_or_throw(claim, kSigningName);
    } catch (const wire::ApiError& error) {
      refused = error.message();
    }
    if (!refused.empty()) throw unauthorized(refused);
    found.claim_ = std::move(claim.claim);
    found.caller_ = api::caller_of(exchange, request_id, found.claim_, *found.signer_.key);
    // Workers report by an operation of the pipelines, which check_task_access admits.
    if (found.caller_.task) throw Problem(403, "The credentials of a task may not be used for jobs.");
    if (found.caller_.machine) throw Problem(403, "The key of a machine may not be used for jobs.");
  }
  found.caller_.endpoint = api::endpoint_of(exchange);
  found.caller_.request_id = request_id;
  found.caller_.address = api::address_of(exchange.peer());
  co_return found;
}

services::pipelines::JobScope Credentials::scope(store::Tx& tx) const {
  if (bearer_.empty()) return {caller_.account, caller_.region};
  auto scope = services::pipelines::scope_of_key(tx, bearer_);
  if (!scope) throw unauthorized(std::string("The key is unknown or was deleted. ") + kHowTo);
  return std::move(*scope);
}

void Credentials::verify(std::string_view body, api::Authenticator& authenticator,
                         const http::RequestHead& head) const {
  if (!bearer_.empty()) return;
  try {
    authenticator.verify(claim_, signer_, head, body);
  } catch (const wire::ApiError& error) {
    throw unauthorized(error.message());
  }
}

Credentials::BodyRule Credentials::verify_head(const http::RequestHead& head, base::Time now) const {
  if (!bearer_.empty()) return {};
  if (claim_.payload_hash.empty()) return {.whole = true};
  if (!claim_.names_body_hash() && claim_.payload_hash != "UNSIGNED-PAYLOAD") {
    throw Problem(400, "The x-amz-content-sha256 '" + claim_.payload_hash +
                           "' is not supported: use the hash of the body, or UNSIGNED-PAYLOAD.");
  }
  const auto verified = signing::verify_without_body(claim_, head, *signer_.signing_key, now, false);
  if (!verified) throw unauthorized(verified.message);
  return {.hash = claim_.names_body_hash() ? claim_.payload_hash : ""};
}

}  // namespace doors::jobs
