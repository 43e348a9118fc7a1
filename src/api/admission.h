// SPDX-License-Identifier: Apache-2.0
// Which requests a full disk rejects.
#pragma once

#include <string_view>

namespace api {

inline constexpr char kFullDisk[] =
    "The disk that holds Stoker's data is full: only requests that free space are accepted. Nothing was changed.";

// Whether an operation that writes needs space for good. Those that delete, and those that change what exists, such as
// ReceiveMessage, need it only until the log of the database is written back. By the verb of its name; an operation with
// another verb grows.
bool grows(std::string_view operation);

}  // namespace api
