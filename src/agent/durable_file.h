// SPDX-License-Identifier: Apache-2.0
// Small files that are complete or absent, even after a power loss.
#pragma once

#include <optional>
#include <string>

namespace agent {

// Mode 0600. Returns once the file is on disk. Throws std::runtime_error.
void write_durably(const std::string& path, const std::string& text);
void remove_durably(const std::string& path);
std::optional<std::string> read_file(const std::string& path);

// Mode 0700. Also creates the folders above it. Throws where it exists and belongs to another user, or where others may
// write to it.
void create_folder(const std::string& path);

// Held for the lifetime of the object: one agent per data folder. Throws where another agent holds it.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);
  FolderLock(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int fd_ = -1;
};

}  // namespace agent
