// SPDX-License-Identifier: Apache-2.0
// The data folder: whether it is whole, and the files from which clients learn the server's address and key.
#pragma once

#include <string>

#include "state/keys.h"

namespace control {

// Throws where starting would hide a loss: the folder has data but its database is missing, empty, or without the
// write-ahead log that a crash left, or with nothing in it. Also where everybody may write to the folder. `embedded`: the database is in it.
void check_data_folder(const std::string& folder, bool embedded);
// For a database elsewhere that is new. Throws where the folder has data: it belongs to another database.
void check_new_database(const std::string& folder);
// `folder`/running exists while a server has the database open, and after a crash. Call it after a commit: from then on
// the log is not empty.
void mark_running(const std::string& folder);
void unmark_running(const std::string& folder);

// `folder`/credentials, 0600, in the format of AWS_SHARED_CREDENTIALS_FILE.
void write_credentials(const std::string& folder, const state::Key& key);
// `folder`/endpoint
void write_endpoint(const std::string& folder, const std::string& url);

}  // namespace control
