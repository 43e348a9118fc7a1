// SPDX-License-Identifier: Apache-2.0
// The files that belong to a database: bytes of objects, and chunks of logs. They never change, and a name is used once,
// so that a file that is in a backup needs no second copy.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "objects/files.h"
#include "store/store.h"

namespace backup {

// A folder of files, and who names them.
struct FileKind {
  const char* folder;  // "objects"
  // Names after this one in a fixed order, at most `most`.
  std::vector<std::string> (*names)(store::Tx& tx, const std::string& after, std::int64_t most);
};
const std::vector<FileKind>& file_kinds();

struct FileCounts {
  std::int64_t copied = 0, copied_bytes = 0, kept = 0, bytes = 0;
};
// Copies what `to` lacks of the files that the database names. Throws where one is missing, or the disk is full.
FileCounts copy_files(store::Tx& tx, const FileKind& kind, const objects::Files& from, objects::Files& to);
// Deletes files that the database does not name. Returns their number.
std::int64_t remove_unnamed(store::Tx& tx, const FileKind& kind, objects::Files& files);

}  // namespace backup
