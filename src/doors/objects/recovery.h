// SPDX-License-Identifier: Apache-2.0
// What a crash left in the folder of incoming bodies.
#pragma once

#include "objects/files.h"
#include "store/store.h"

namespace doors::objects {

// A file that a row names is kept, any other is deleted. Before anybody is served.
void recover_files(store::Store& store, const ::objects::Files& files);

}  // namespace doors::objects
