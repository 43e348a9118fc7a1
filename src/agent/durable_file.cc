// SPDX-License-Identifier: Apache-2.0
#include "agent/durable_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace agent {
namespace {

[[noreturn]] void throw_file_error(const std::string& what, const std::string& path) {
  throw std::runtime_error("cannot " + what + " " + path + ": " + std::strerror(errno));
}

bool write_all(int fd, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = ::write(fd, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    written += static_cast<std::size_t>(count);
  }
  return true;
}

// A new name is durable once its folder is synced.
void sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) throw_file_error("open", folder);
  const bool synced = ::fsync(fd) == 0;
  ::close(fd);
  if (!synced) throw_file_error("sync", folder);
}

}  // namespace

void write_durably(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".new";
  int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) throw_file_error("write", temporary);
  const bool written = write_all(fd, text) && ::fsync(fd) == 0;
  ::close(fd);
  if (!written) throw_file_error("write", temporary);
  if (::rename(temporary.c_str(), path.c_str()) != 0) throw_file_error("write", path);
  sync_folder_of(path);
}

void remove_durably(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw_file_error("remove", path);
  sync_folder_of(path);
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// What is in an existing folder of others, or where others could write, may be theirs: an agent would run it.
void create_folder(const std::string& path) {
  auto folder = std::filesystem::absolute(path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // "/x/" ends in an empty name
  std::error_code error;
  std::filesystem::create_directories(folder.parent_path(), error);
  if (error) throw std::runtime_error("cannot create " + path + ": " + error.message());
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) throw_file_error("create", path);
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) throw_file_error("open", path);
  if (!S_ISDIR(status.st_mode)) throw std::runtime_error(path + " is not a folder");
  if (status.st_uid != ::geteuid()) throw std::runtime_error("the folder " + path + " belongs to another user");
  if (status.st_mode & (S_IWGRP | S_IWOTH)) {
    throw std::runtime_error("other users may write to the folder " + path + ": choose another one");
  }
  ::chmod(folder.c_str(), 0700);
}

FolderLock::FolderLock(const std::string& folder) {
  const std::string path = folder + "/agent.lock";
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd_ < 0) throw_file_error("open", path);
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    ::close(fd_);
    throw std::runtime_error("another agent uses the data folder " + folder);
  }
}

FolderLock::~FolderLock() { ::close(fd_); }

}  // namespace agent
