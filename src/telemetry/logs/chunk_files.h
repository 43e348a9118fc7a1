// SPDX-License-Identifier: Apache-2.0
// The files of chunks, in a folder of their own beside the objects. Services keep one in their memory.
#pragma once

#include <string>

#include "objects/files.h"

namespace telemetry {

struct ChunkFiles {
  explicit ChunkFiles(const std::string& data_folder) : files(data_folder + "/chunks") {}

  objects::Files files;
};

}  // namespace telemetry
