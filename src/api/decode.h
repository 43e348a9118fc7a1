// SPDX-License-Identifier: Apache-2.0
// Steps that requests of all protocols share.
#pragma once

#include <string>

#include "http/server.h"
#include "services/operation.h"

namespace api {

// "http://127.0.0.1:4566": the address that the client used.
std::string endpoint_of(const http::Exchange& exchange);

// The address without its port. A unix socket is this machine's.
std::string address_of(const std::string& peer);

// The input struct. Throws ApiError for an invalid body, and for values that the model does not allow.
services::Erased decode(const services::Service& service, const services::Operation& operation,
                        wire::Protocol protocol, const wire::HttpRequest& request);

}  // namespace api
