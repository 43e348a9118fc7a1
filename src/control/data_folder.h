// SPDX-License-Identifier: Apache-2.0
// The files in the data folder from which clients learn the server's address and key.
#pragma once

#include <string>

#include "state/keys.h"

namespace control {

// `folder`/credentials, 0600, in the format of AWS_SHARED_CREDENTIALS_FILE.
void write_credentials(const std::string& folder, const state::Key& key);
// `folder`/endpoint
void write_endpoint(const std::string& folder, const std::string& url);

}  // namespace control
