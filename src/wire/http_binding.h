// SPDX-License-Identifier: Apache-2.0
// The members of a restXml request or response that travel outside the body: in
// the path, the query string, the headers and the status.
#pragma once

#include <cstdint>
#include <string_view>

#include "wire/operation.h"

namespace wire {

// Fills those members of `input` and returns their required bits. Throws ApiError InvalidArgument.
std::uint64_t read_bindings(const Operation& operation, const HttpRequest& request, void* input);

// Adds headers, and sets the status if a member is bound to it.
void write_bindings(const TypeInfo& type, const void* output, HttpResponse& response);

}  // namespace wire
