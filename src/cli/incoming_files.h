// SPDX-License-Identifier: Apache-2.0
// Files that a container sends as a tar archive. The container decides what is in the archive: it is extracted into a
// fresh folder, and only the part that was requested leaves that folder.
#pragma once

#include <filesystem>
#include <string>

#include "cli/local_tar.h"

namespace cli {

class IncomingFiles {
 public:
  // The fresh folder is in `parent`, on the disk of the target. Throws std::system_error.
  explicit IncomingFiles(const std::filesystem::path& parent);
  ~IncomingFiles();
  IncomingFiles(const IncomingFiles&) = delete;
  IncomingFiles& operator=(const IncomingFiles&) = delete;

  // For the archive's bytes.
  int descriptor() const { return tar_.descriptor(); }
  // Waits for the end of the extraction; returns its exit status.
  int finish() { return tar_.finish(); }
  // Moves the file or folder to `target`, or everything into the folder `target` if `name` is ".". Folders that are
  // there already are merged; other files are replaced, and symbolic links are replaced and not followed.
  // Throws std::runtime_error, also if the archive does not have it.
  void move(const std::string& name, const std::filesystem::path& target);

 private:
  std::string folder_;
  LocalTar tar_;
};

}  // namespace cli
