// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/shim_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/time.h"
#include "wire/error.h"

namespace agent::drivers {
namespace {

base::Error error_at(const std::string& path) { return base::Error{path + ": " + std::strerror(errno)}; }

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(n);
  }
  return true;
}

void sync_folder(const std::string& path) {
  const int fd = ::open(path.substr(0, path.rfind('/')).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

// A missing file is normal. Any other error (no descriptors, a broken disk) is not: a process whose
// state cannot be read may well be running.
std::nullopt_t missing_or_throw(const std::string& path) {
  if (errno == ENOENT || errno == ENOTDIR || errno == ESRCH) return std::nullopt;
  throw std::runtime_error(error_at(path).message);
}

template <class T>
std::optional<T> read_part(const std::string& path) {
  const auto text = read_text(path);
  if (!text) return std::nullopt;
  try {
    T part;
    wire::read_json(wire::type_of<T>(), *text, &part);
    return part;
  } catch (const wire::ApiError&) {
    return std::nullopt;
  }
}

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

base::Result<bool> write_durably(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return error_at(fresh);
  const bool written = write_all(fd, text) && ::fsync(fd) == 0;
  ::close(fd);
  if (!written || ::rename(fresh.c_str(), path.c_str()) != 0) return error_at(path);
  sync_folder(path);
  return true;
}

std::optional<std::string> read_text(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return missing_or_throw(path);
  std::string text;
  std::array<char, 4096> bytes;
  ssize_t got = 0;
  while ((got = ::read(fd, bytes.data(), bytes.size())) > 0) text.append(bytes.data(), std::size_t(got));
  const int failed = got < 0 ? errno : 0;
  ::close(fd);
  errno = failed;
  return failed ? missing_or_throw(path) : std::optional(std::move(text));
}

std::optional<ShimSpec> read_spec(const std::string& folder) { return read_part<ShimSpec>(folder + "/spec.json"); }

std::optional<ShimStarted> read_started(const std::string& folder) {
  return read_part<ShimStarted>(folder + "/started.json");
}

std::optional<ShimExit> read_exit(const std::string& folder) { return read_part<ShimExit>(folder + "/exit.json"); }

bool take_lock(const std::string& folder) {
  // Never closed: closing any descriptor of the file would release the lock.
  const int fd = ::open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  struct flock lock = whole_file(F_WRLCK);
  return ::fcntl(fd, F_SETLK, &lock) == 0;
}

std::optional<pid_t> lock_holder(const std::string& folder) {
  const std::string path = folder + "/lock";
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return missing_or_throw(path);
  struct flock lock = whole_file(F_WRLCK);
  const int failed = ::fcntl(fd, F_GETLK, &lock) == 0 ? 0 : errno;
  ::close(fd);
  errno = failed;
  if (failed) return missing_or_throw(path);
  if (lock.l_type == F_UNLCK) return std::nullopt;
  return lock.l_pid;
}

std::string boot_id() {
  // Read once: it does not change, and a later read may fail for lack of descriptors.
  static const std::string kId = [] {
    std::string id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
    return id;
  }();
  return kId;
}

std::optional<std::int64_t> start_ticks(pid_t pid) {
  const auto text = read_text("/proc/" + std::to_string(pid) + "/stat");
  if (!text) return std::nullopt;
  // The name, in parentheses, may contain anything: field 3 follows its closing parenthesis.
  const std::size_t name_end = text->rfind(')');
  if (name_end == text->npos) return std::nullopt;
  std::istringstream fields(text->substr(name_end + 1));
  std::string state, skipped;
  fields >> state;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  std::int64_t ticks = 0;
  if (!(fields >> ticks) || state == "Z" || state == "X") return std::nullopt;
  return ticks;
}

std::int64_t now_ms() { return base::to_millis(base::SystemClock().now()); }

}  // namespace agent::drivers
