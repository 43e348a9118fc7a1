// SPDX-License-Identifier: Apache-2.0
// A role's credentials, in the form that every AWS SDK reads from a container's credentials endpoint.
#pragma once

#include "http/message.h"
#include "shapes/agent/task.h"

namespace agent {

// The endpoint has no other authentication, so the id is a secret too.
std::string credentials_path(const std::string& credentials_id);

http::Response credentials_response(const shapes::agent::Credentials& credentials);
http::Response credentials_error(bool has_id);

}  // namespace agent
