// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/errors.h"

#include <boost/system/system_error.hpp>

#include "base/log.h"

#include <cerrno>
#include <chrono>

#include "api/admission.h"
#include "wire/timestamp.h"

namespace doors::objects {
namespace {

using signing::AuthError;
using wire::ApiError;

ApiError too_skewed(const signing::Claim& claim, base::Time now) {
  return ApiError("RequestTimeTooSkewed",
                  "The difference between the request time and the current time is too large.", 403)
      .with("RequestTime", claim.timestamp)
      .with("ServerTime", wire::to_iso8601(now))
      .with("MaxAllowedSkewMilliseconds",
            std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(signing::kMaxClockSkew).count()));
}

ApiError expired(const signing::AuthResult& failure, const signing::Claim& claim, base::Time now) {
  ApiError error("AccessDenied", failure.message, 403);
  if (claim.expires) {
    error.with("X-Amz-Expires", std::to_string(claim.expires->count()))
        .with("Expires", wire::to_iso8601(claim.signed_at + *claim.expires));
  }
  if (claim.version2) error.with("Expires", wire::to_iso8601(claim.signed_at));
  return error.with("ServerTime", wire::to_iso8601(now));
}

ApiError with_details(ApiError error, const signing::AuthResult& failure) {
  for (const auto& [name, value] : failure.details) error.with(name, value);
  return error;
}

ApiError slow_down() { return ApiError("SlowDown", "Please reduce your request rate.", 503); }

}  // namespace

ApiError disk_full() { return ApiError("InsufficientStorage", api::kFullDisk, 507); }

ApiError auth_error(const signing::AuthResult& failure, const signing::Claim& claim, base::Time now) {
  switch (failure.error) {
    case AuthError::UnknownKey:
      return ApiError("InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.", 403)
          .with("AWSAccessKeyId", claim.access_key);
    case AuthError::BadToken:
      return ApiError("InvalidToken", "The provided token is malformed or otherwise invalid.", 400)
          .with("Token-0", claim.session_token);
    case AuthError::ExpiredToken:
      return ApiError("ExpiredToken", "The provided token has expired.", 400).with("Token-0", claim.session_token);
    case AuthError::Skewed: return too_skewed(claim, now);
    case AuthError::Expired:
    case AuthError::NotYetValid: return expired(failure, claim, now);
    case AuthError::UnsignedHeaders: return with_details(ApiError("AccessDenied", failure.message, 403), failure);
    case AuthError::BadSignature:
      return with_details(ApiError("SignatureDoesNotMatch",
                                   "The request signature we calculated does not match the signature you provided. "
                                   "Check your key and signing method.",
                                   403),
                          failure);
    // The only error in a scope that parsing does not find.
    default:
      if (claim.presigned) return ApiError("AuthorizationQueryParametersError", failure.message, 400);
      return ApiError("AuthorizationHeaderMalformed",
                      "The authorization header is malformed; the region '" + claim.region + "' is wrong.", 400);
  }
}

ApiError missing_payload_hash() {
  return ApiError("InvalidRequest", "Missing required header for this request: x-amz-content-sha256", 400);
}

ApiError payload_hash_error(const std::string& claimed, const std::string& computed) {
  return ApiError("XAmzContentSHA256Mismatch", signing::auth_failure(AuthError::BadPayloadHash).message, 400)
      .with("ClientComputedContentSHA256", claimed)
      .with("S3ComputedContentSHA256", computed);
}

ApiError body_error(const signing::BodyError& failure) {
  ApiError error(failure.code(), failure.what(), failure.status());
  for (const auto& [name, value] : failure.details()) error.with(name, value);
  return error;
}

ApiError body_error(const http::Failure& failure) {
  if (failure.status() == 503 || failure.status() == 429) return slow_down();
  if (failure.status() == 413) return ApiError("MaxMessageLengthExceeded", "Your request was too big.", 400);
  if (failure.status() == 408) {
    return ApiError("RequestTimeout",
                    "Your socket connection to the server was not read from or written to within the timeout period. "
                    "Idle connections will be closed.",
                    400);
  }
  return ApiError("InvalidRequest", failure.what(), failure.status());
}

ApiError store_error(const store::Error& error) {
  if (error.kind() == store::ErrorKind::Full) return disk_full();
  if (error.kind() == store::ErrorKind::Busy) return slow_down();
  return internal_error();
}

ApiError file_error(const std::system_error& error) {
  const int why = error.code().value();
  if (why == ENOSPC || why == EDQUOT) return disk_full();
  if (why == EMFILE || why == ENFILE) return slow_down();
  return internal_error();
}

ApiError internal_error() {
  return ApiError("InternalError", "We encountered an internal error. Please try again.", 500);
}

wire::ApiError to_api_error(const api::Job& job, std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const wire::ApiError& error) {
    return error;
  } catch (const signing::BodyError& error) {
    return body_error(error);
  } catch (const http::Failure& error) {
    return body_error(error);
  } catch (const store::Error& error) {
    base::log_error("transaction failed", {{"request", job.request_id}, {"error", error.what()}});
    return store_error(error);
  } catch (const boost::system::system_error&) {
    throw;
  } catch (const std::system_error& error) {
    base::log_error("file operation failed", {{"request", job.request_id}, {"error", error.what()}});
    return file_error(error);
  } catch (const std::exception& error) {
    base::log_error("handler failed", {{"request", job.request_id}, {"error", error.what()}});
    return internal_error();
  }
}

}  // namespace doors::objects
