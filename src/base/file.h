// SPDX-License-Identifier: Apache-2.0
// An open file. All of it throws std::system_error, which names the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace base {

class File {
 public:
  static File open(const std::string& path);  // to read
  // To read, and only where that needs no disk: what is known of the path is in memory. Else nullopt,
  // which says nothing of whether it is there.
  static std::optional<File> open_cached(const std::string& path);
  static File create(const std::string& path);  // to read and write, mode 0600; it must not be there yet

  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  // After what was written before.
  void write_all(std::string_view bytes);
  // Fills `into` unless the file ends before: returns what was read. May be called by several threads at once.
  std::size_t pread(char* into, std::size_t size, std::uint64_t offset) const;
  // Tells the system that these bytes are read next, in order, so that it reads ahead of us.
  void announce_reading(std::uint64_t offset, std::uint64_t size) const;
  // What was written survives a power loss, once the file's name does: see sync_folder.
  void sync() const;
  std::uint64_t size() const;

  int descriptor() const { return fd_; }
  const std::string& path() const { return path_; }  // that it was opened by; it may have moved

 private:
  File(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}

  int fd_;
  std::string path_;
};

// Names that were made, moved or removed in a folder survive a power loss.
void sync_folder(const std::string& path);

}  // namespace base
