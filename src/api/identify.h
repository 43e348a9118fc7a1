// SPDX-License-Identifier: Apache-2.0
// Which service, which protocol, which operation: from the credential scope's
// service name, X-Amz-Target, the path, or the form's Action.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "services/operation.h"

namespace api {

// The protocol of a request, by its head. Errors use it even if nothing else is known.
wire::Protocol guess_protocol(const http::RequestHead& head);

// The same once the service is known: a form of EC2 looks like one of the query protocol, and only the service tells.
wire::Protocol protocol_of(const services::Service& service, wire::Protocol guessed);

// The service that an unsigned request is addressed to, by its X-Amz-Target or its path: a target prefix. ""
// where neither names one.
std::string_view addressed_service(const http::RequestHead& head);

// The operation's name; a form has it in the body. "" if there is none.
std::string operation_name(wire::Protocol protocol, const http::RequestHead& head, std::string_view body);

const services::Operation* find_operation(const services::Service& service, wire::Protocol protocol,
                                          std::string_view name);

// The value of one field of a form, decoded.
std::optional<std::string> form_field(std::string_view form, std::string_view name);

}  // namespace api
