// SPDX-License-Identifier: Apache-2.0
// A data folder belongs to one process at a time.
#pragma once

#include <string>

namespace store {

class FolderLock {
 public:
  // Makes the folder (0700) where it is absent. Throws Error (Busy) naming the
  // process that has it.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_ = -1;
};

// Makes the file (0600) where it is absent, so that its name survives a crash.
void create_private_file(const std::string& folder, const std::string& path);

}  // namespace store
