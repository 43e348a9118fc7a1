// SPDX-License-Identifier: Apache-2.0
// A role's credentials, in the form that every AWS SDK reads from a container's endpoint.
#pragma once

#include "http/message.h"
#include "shapes/agent/task.h"

namespace agent {

// Where the endpoint has them. Whoever knows the id gets them: it is a secret, too.
std::string credentials_path(const std::string& credentials_id);

http::Response credentials_answer(const shapes::agent::Credentials& credentials);
http::Response no_credentials_answer(bool has_id);

}  // namespace agent
