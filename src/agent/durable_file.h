// SPDX-License-Identifier: Apache-2.0
// Small files that are there whole or not at all, also after the power went.
#pragma once

#include <optional>
#include <string>

namespace agent {

// 0600. Returns when it is on disk; throws std::runtime_error.
void write_durably(const std::string& path, const std::string& text);
void remove_durably(const std::string& path);
std::optional<std::string> read_whole(const std::string& path);

// With all folders above it, 0700.
void make_folder(const std::string& path);

// Held as long as the object is: one agent a data folder. Throws when another one has it.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);
  FolderLock(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int fd_ = -1;
};

}  // namespace agent
