// SPDX-License-Identifier: Apache-2.0
// The files beside the database that tell clients where we are and with which key.
#pragma once

#include <string>

#include "state/keys.h"

namespace control {

// `folder`/credentials, 0600, in the form that AWS_SHARED_CREDENTIALS_FILE wants.
void write_credentials(const std::string& folder, const state::Key& key);
// `folder`/endpoint
void write_endpoint(const std::string& folder, const std::string& url);

}  // namespace control
