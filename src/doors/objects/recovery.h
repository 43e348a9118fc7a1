// SPDX-License-Identifier: Apache-2.0
// Repairs the folder of incoming bodies after a crash.
#pragma once

#include "objects/files.h"
#include "store/store.h"

namespace doors::objects {

// Keeps files that a row names, and deletes all others. Runs before any request is served.
void recover_files(store::Store& store, const ::objects::Files& files);

}  // namespace doors::objects
