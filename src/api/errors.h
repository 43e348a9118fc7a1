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

// JSON's names, with the codes that query and XML clients know them by. Every
// service's table is extended by these.
std::span<const wire::ErrorSpec> common_errors();

wire::ApiError auth_error(signing::AuthError error, std::string message);

wire::ApiError unsupported_service(const std::string& signing_name);

// The error that a client gets for an exception. What ends the connection itself is thrown on: there is
// nobody left to answer.
wire::ApiError to_api_error(const Job& job, std::exception_ptr thrown);

// In the job's protocol; counted and logged.
http::Response error_response(const Job& job, const wire::ApiError& error, RequestLog& log);

http::Response to_http(wire::HttpResponse response);

}  // namespace api
