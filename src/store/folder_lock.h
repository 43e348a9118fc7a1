// SPDX-License-Identifier: Apache-2.0
// Gives a data folder to one process at a time.
#pragma once

#include <string>

namespace store {

class FolderLock {
 public:
  // Creates the folder (0700) if it is absent. Throws Error (Busy) naming the process that holds it.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_ = -1;
};

// Creates the file (0600) if it is absent, and syncs its name.
void create_private_file(const std::string& folder, const std::string& path);

}  // namespace store
