// SPDX-License-Identifier: Apache-2.0
#include "api/errors.h"

namespace api {
namespace {

constexpr std::string_view kCoral = "com.amazon.coral.service";

constexpr wire::ErrorSpec kCommon[] = {
    {"AccessDeniedException", "AccessDenied", 403, true, kCoral},
    {"ExpiredTokenException", "ExpiredToken", 403, true, kCoral},
    {"IncompleteSignatureException", "IncompleteSignature", 400, true, kCoral},
    {"InternalFailure", "InternalFailure", 500, false, kCoral},
    {"InvalidAction", "InvalidAction", 400, true, kCoral},
    {"InvalidSignatureException", "SignatureDoesNotMatch", 403, true, kCoral},
    {"MissingAuthenticationTokenException", "MissingAuthenticationToken", 403, true, kCoral},
    {"RequestEntityTooLargeException", "RequestEntityTooLarge", 413, true, kCoral},
    {"RequestTimeoutException", "RequestTimeout", 408, true, kCoral},
    {"SerializationException", "MalformedInput", 400, true, kCoral},
    {"ServiceUnavailableException", "ServiceUnavailable", 503, false, kCoral},
    {"UnknownOperationException", "InvalidAction", 400, true, kCoral},
    {"UnrecognizedClientException", "InvalidClientTokenId", 403, true, kCoral},
};

}  // namespace

std::span<const wire::ErrorSpec> common_errors() { return kCommon; }

wire::ApiError auth_error(signing::AuthError error, std::string message) {
  using signing::AuthError;
  const char* code = "InvalidSignatureException";
  switch (error) {
    case AuthError::Missing: code = "MissingAuthenticationTokenException"; break;
    case AuthError::Incomplete:
    case AuthError::BadAlgorithm: code = "IncompleteSignatureException"; break;
    case AuthError::UnknownKey:
    case AuthError::BadToken: code = "UnrecognizedClientException"; break;
    case AuthError::ExpiredToken: code = "ExpiredTokenException"; break;
    default: break;
  }
  return wire::ApiError(code, std::move(message));
}

wire::ApiError store_error(const store::Error& error) {
  if (error.kind() == store::ErrorKind::Full) {
    return wire::ApiError("ServiceUnavailableException",
                          "The disk that holds Stoker's data is full. Nothing was changed.");
  }
  if (error.kind() == store::ErrorKind::Busy) {
    return wire::ApiError("ServiceUnavailableException", "The database is busy. Nothing was changed; try again.");
  }
  return wire::ApiError("InternalFailure", "The database failed, and the server's log says why.");
}

}  // namespace api
