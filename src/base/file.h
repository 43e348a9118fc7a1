// SPDX-License-Identifier: Apache-2.0
// An open file. Every function throws std::system_error, whose message names the path.
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
  // Opens for reading if the kernel can resolve the path from its caches, without disk access. Otherwise
  // nullopt, whether or not the file exists.
  static std::optional<File> open_cached(const std::string& path);
  static File create(const std::string& path);  // to read and write, mode 0600; the file must not exist

  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  // Appends at the current position.
  void write_all(std::string_view bytes);
  // Fills `into` unless the file ends first; returns the number of bytes read. Safe to call from several threads.
  std::size_t pread(char* into, std::size_t size, std::uint64_t offset) const;
  // Advises the kernel to read these bytes ahead.
  void announce_reading(std::uint64_t offset, std::uint64_t size) const;
  // The written bytes survive a power loss, once the file's name does: see sync_folder.
  void sync() const;
  std::uint64_t size() const;

  int descriptor() const { return fd_; }
  const std::string& path() const { return path_; }  // at opening; the file may have been renamed since

 private:
  File(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}

  int fd_;
  std::string path_;
};

// Files created, renamed or removed in a folder stay so after a power loss.
void sync_folder(const std::string& path);

}  // namespace base
