// SPDX-License-Identifier: Apache-2.0
// Errors of RPC clients: those that any request can meet before a handler runs, and how exceptions become
// responses.
#pragma once

#include <exception>
#include <span>
#include <string>

#include "api/job.h"
#include "api/request_log.h"
#include "http/message.h"
#include "signing/sigv4.h"
#include "store/store.h"
#include "wire/operation.h"

namespace api {

// The names in JSON, with the codes for query and XML clients. The registry adds them to each service's table.
std::span<const wire::ErrorSpec> common_errors();

wire::ApiError auth_error(signing::AuthError error, std::string message);

wire::ApiError unsupported_service(const std::string& signing_name);

// The error that a client gets for an exception. Rethrows what ends the connection itself: there is no client left.
wire::ApiError to_api_error(const Job& job, std::exception_ptr thrown);

// In the job's protocol; counted and logged.
http::Response error_response(const Job& job, const wire::ApiError& error, RequestLog& log);

http::Response to_http(wire::HttpResponse response);

}  // namespace api
