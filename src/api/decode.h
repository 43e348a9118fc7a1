// SPDX-License-Identifier: Apache-2.0
// What all requests go through, whatever they speak.
#pragma once

#include <string>

#include "http/server.h"
#include "services/operation.h"

namespace api {

// "http://127.0.0.1:4566": how the client reached us.
std::string endpoint_of(const http::Exchange& exchange);

// Without its port. Our own command line comes by a unix socket, from this machine.
std::string address_of(const std::string& peer);

// The input's struct. Throws ApiError for what is none, and for values that the model does not allow.
services::Erased decode(const services::Service& service, const services::Operation& operation,
                        wire::Protocol protocol, const wire::HttpRequest& request);

}  // namespace api
