// SPDX-License-Identifier: Apache-2.0
// Requests of real clients, recorded by record.py.
#pragma once

#include <string>

#include "base/headers.h"
#include "wire/operation.h"

namespace golden {

struct Request {
  std::string method, path, query, body;
  base::Headers headers;

  wire::HttpRequest view() const { return {method, path, query, headers, body}; }
};

// golden/CLIENT/NAME.http
Request load(const std::string& client, const std::string& name);
// The bytes of golden/NAME, or "" if the file is missing.
std::string load_file(const std::string& name);
// Determined from the headers: X-Amz-Target and Content-Type, smithy-protocol, a form, else restXml.
wire::Protocol protocol_of(const Request& request);

}  // namespace golden
