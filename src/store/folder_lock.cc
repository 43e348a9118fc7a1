// SPDX-License-Identifier: Apache-2.0
#include "store/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "store/store.h"

namespace store {
namespace {

[[noreturn]] void fail_folder(const std::string& what, const std::string& folder, int error) {
  throw Error(error == ENOSPC ? ErrorKind::Full : ErrorKind::Other,
              what + " the data folder " + folder + ": " + std::generic_category().message(error));
}

// A new name is durable only after its folder has been synced.
void sync_folder(const std::string& folder) {
  int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) fail_folder("cannot open", folder, errno);
  int failed = ::fsync(file) < 0 ? errno : 0;
  ::close(file);
  if (failed) fail_folder("cannot sync", folder, failed);
}

void create_folder(const std::string& folder) {
  auto parent = std::filesystem::absolute(folder).lexically_normal();
  if (!parent.has_filename()) parent = parent.parent_path();  // "/x/" ends in an empty name
  parent = parent.parent_path();
  std::error_code failed;
  std::filesystem::create_directories(parent, failed);
  if (failed) fail_folder("cannot create", folder, failed.value());
  if (::mkdir(folder.c_str(), 0700) == 0) {
    sync_folder(parent);
  } else if (errno != EEXIST) {
    fail_folder("cannot create", folder, errno);
  }
}

std::string read_owner(int file) {
  std::array<char, 32> text{};
  auto size = ::pread(file, text.data(), text.size(), 0);
  std::string owner(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  while (!owner.empty() && owner.back() == '\n') owner.pop_back();
  return owner.empty() ? "(unknown)" : owner;
}

}  // namespace

FolderLock::FolderLock(const std::string& folder) {
  create_folder(folder);
  file_ = ::open((folder + "/lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file_ < 0) fail_folder("cannot write in", folder, errno);
  if (::flock(file_, LOCK_EX | LOCK_NB) < 0) {
    int failed = errno;
    std::string owner = read_owner(file_);
    ::close(file_);
    if (failed != EWOULDBLOCK) fail_folder("cannot lock", folder, failed);
    throw Error(ErrorKind::Busy, "the data folder " + folder + " is in use by process " + owner);
  }
  std::string owner = std::to_string(::getpid()) + "\n";
  if (::ftruncate(file_, 0) < 0 || ::pwrite(file_, owner.data(), owner.size(), 0) < 0) {
    int failed = errno;
    ::close(file_);
    fail_folder("cannot write in", folder, failed);
  }
}

// The file remains: if it were removed, one opener could lock the old file and another the new one.
FolderLock::~FolderLock() { ::close(file_); }

void create_private_file(const std::string& folder, const std::string& path) {
  int file = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) fail_folder("cannot write in", folder, errno);
  int failed = ::fchmod(file, 0600) < 0 ? errno : 0;
  ::close(file);
  if (failed) fail_folder("cannot write in", folder, failed);
  sync_folder(folder);
}

}  // namespace store
