// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace base {
namespace {

// Requested in one call; the kernel continues by itself.
constexpr std::uint64_t kReadAheadBytes = 2 * 1024 * 1024;

[[noreturn]] void fail(const char* what, const std::string& path) {
  throw std::system_error(errno, std::generic_category(), std::string("cannot ") + what + " " + path);
}

int open_or_fail(const char* what, const std::string& path, int flags) {
  for (;;) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
    if (fd >= 0) return fd;
    if (errno != EINTR) fail(what, path);
  }
}

// Whether this byte can be read without waiting for the disk.
bool in_memory(int fd, std::uint64_t offset) {
  char byte = 0;
  const iovec into = {&byte, 1};
  return ::preadv2(fd, &into, 1, static_cast<off_t>(offset), RWF_NOWAIT) == 1;
}

}  // namespace

File File::open(const std::string& path) { return File(open_or_fail("open", path, O_RDONLY), path); }

std::optional<File> File::open_cached(const std::string& path) {
  open_how how = {};
  how.flags = O_RDONLY | O_CLOEXEC;
  how.resolve = RESOLVE_CACHED;
  const auto fd = static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how));
  if (fd < 0) return std::nullopt;
  return File(fd, path);
}

File File::create(const std::string& path) {
  return File(open_or_fail("create", path, O_RDWR | O_CREAT | O_EXCL), path);
}

File::File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

File& File::operator=(File&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  return *this;
}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

void File::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) fail("write", path_);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::size_t File::pread(char* into, std::size_t size, std::uint64_t offset) const {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(fd_, into + done, size - done, static_cast<off_t>(offset + done));
    if (got == 0) break;
    if (got < 0 && errno != EINTR) fail("read", path_);
    if (got > 0) done += static_cast<std::size_t>(got);
  }
  return done;
}

void File::announce_reading(std::uint64_t offset, std::uint64_t size) const {
  // The advice costs more than checking whether it is needed.
  const bool little = size > 0 && size <= kReadAheadBytes;
  if (little && in_memory(fd_, offset) && in_memory(fd_, offset + size - 1)) return;
  const auto at = static_cast<off_t>(offset);
  (void)::posix_fadvise(fd_, at, static_cast<off_t>(size), POSIX_FADV_SEQUENTIAL);
  (void)::posix_fadvise(fd_, at, static_cast<off_t>(std::min(size, kReadAheadBytes)), POSIX_FADV_WILLNEED);
}

void File::sync() const {
  // fdatasync syncs the file's length and blocks too; only its times are left out.
  while (::fdatasync(fd_) != 0) {
    if (errno != EINTR) fail("sync", path_);
  }
}

std::uint64_t File::size() const {
  struct stat status;
  if (::fstat(fd_, &status) != 0) fail("stat", path_);
  return static_cast<std::uint64_t>(status.st_size);
}

void sync_folder(const std::string& path) {
  const int fd = open_or_fail("open", path, O_RDONLY | O_DIRECTORY);
  const int failed = ::fsync(fd);
  const int why = errno;
  ::close(fd);
  errno = why;
  if (failed) fail("sync", path);
}

}  // namespace base
