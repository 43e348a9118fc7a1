// SPDX-License-Identifier: Apache-2.0
// Answers in JSON to query requests: SQS negotiates them by `Accept: application/json` on GETs. Not the JSON protocol:
// the document is the XML one in JSON.
//
// Observed: the envelopes, "messages" of ReceiveMessage, a map as a list of names and values, and the error's members
// Code and Message. Inferred: other lists begin in lower case like "messages", and a null Detail.
#pragma once

#include <string_view>

#include "wire/operation.h"

namespace wire {

HttpResponse encode_query_json_response(const Operation& operation, const void* output, std::string_view request_id);
HttpResponse encode_query_json_error(const Service& service, const ApiError& error, std::string_view request_id);

}  // namespace wire
