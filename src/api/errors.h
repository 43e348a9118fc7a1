// SPDX-License-Identifier: Apache-2.0
// The errors that any request can meet before a handler sees it, and what a failed
// transaction is to a client.
#pragma once

#include <exception>
#include <span>
#include <string>

#include "signing/sigv4.h"
#include "store/store.h"
#include "wire/operation.h"

namespace api {

// JSON's names, with the codes that query and XML clients know them by. Every
// service's table is extended by these.
std::span<const wire::ErrorSpec> common_errors();

wire::ApiError auth_error(signing::AuthError error, std::string message);

// What a client is told of a transaction that failed for a reason of ours.
wire::ApiError store_error(const store::Error& error);

}  // namespace api
