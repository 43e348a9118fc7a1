// SPDX-License-Identifier: Apache-2.0
#include "api/errors.h"

#include <boost/system/system_error.hpp>

#include "api/admission.h"
#include "base/log.h"
#include "store/account_work.h"

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
    {"ThrottlingException", "Throttling", 400, true, kCoral},
    {"UnknownOperationException", "InvalidAction", 400, true, kCoral},
    {"UnrecognizedClientException", "InvalidClientTokenId", 403, true, kCoral},
};

// For a transaction that the store failed.
wire::ApiError store_error(const store::Error& error) {
  if (dynamic_cast<const store::OverTime*>(&error)) {
    return wire::ApiError("ThrottlingException",
                          "The request needs more time than one request may take. Nothing was changed; request less.");
  }
  if (error.kind() == store::ErrorKind::Full) {
    return wire::ApiError("ServiceUnavailableException", kFullDisk);
  }
  if (error.kind() == store::ErrorKind::Busy) {
    return wire::ApiError("ServiceUnavailableException", "The database is busy. Nothing was changed; try again.");
  }
  return wire::ApiError("InternalFailure", "The database failed; the server's log has the reason.");
}

// For a body that can't be read.
wire::ApiError body_error(const http::Failure& failure) {
  if (failure.status() == 413) return wire::ApiError("RequestEntityTooLargeException", failure.what());
  if (failure.status() == 429) return wire::ApiError("ThrottlingException", failure.what());
  if (failure.status() == 503) return wire::ApiError("ServiceUnavailableException", failure.what());
  if (failure.status() == 408) return wire::ApiError("RequestTimeoutException", failure.what());
  return wire::ApiError("SerializationException", failure.what(), failure.status());
}

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

wire::ApiError unsupported_service(const std::string& signing_name) {
  return wire::ApiError("UnknownOperationException", "Stoker does not support the service '" + signing_name + "'.");
}

wire::ApiError to_api_error(const Job& job, std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const wire::ApiError& error) {
    return error;
  } catch (const http::Failure& error) {
    return body_error(error);
  } catch (const store::Error& error) {
    base::log_error("transaction failed", {{"request", job.request_id}, {"error", error.what()}});
    return store_error(error);
  } catch (const boost::system::system_error&) {
    throw;
  } catch (const std::exception& error) {
    base::log_error("handler failed", {{"request", job.request_id}, {"error", error.what()}});
    return wire::ApiError("InternalFailure", "An internal error occurred. The server's log has the details.");
  }
}

http::Response to_http(wire::HttpResponse response) {
  return {response.status, std::move(response.headers), std::move(response.body)};
}

namespace {

// Services that once spoke query answer JSON and CBOR with the status of query only on request. Recorded for
// CloudWatch's ResourceNotFound.
bool is_plain_bad_request(const Job& job, const wire::Service& service, int status) {
  const bool json = job.protocol == wire::Protocol::Json10 || job.protocol == wire::Protocol::Cbor;
  return json && service.query_compatible && !job.query_mode && status == 404;
}

}  // namespace

http::Response error_response(const Job& job, const wire::ApiError& error, RequestLog& log) {
  // Before a service is known.
  static const wire::Service no_service{.name = "", .errors = common_errors()};
  const wire::Service& service = job.service ? job.service->wire : no_service;
  http::Response response = to_http(wire::encode_error(job.protocol, service, error, job.request_id));
  if (is_plain_bad_request(job, service, response.status)) response.status = 400;
  log.failed(job, service.name, error, response.status);
  return response;
}

}  // namespace api
