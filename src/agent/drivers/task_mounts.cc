// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/task_mounts.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "agent/drivers/path_below.h"

namespace agent::drivers {
namespace {

constexpr const char* kTmpFolders[] = {"/tmp", "/var/tmp"};
constexpr unsigned long kSafeMount = MS_NOSUID | MS_NODEV;
// Room for the mount points of the visible paths.
constexpr char kEmptyFolder[] = "size=1m,nr_inodes=1024,mode=755";

base::Error mount_error(const std::string& what) { return base::Error{what + ": " + std::strerror(errno)}; }

bool write_once(const char* path, const std::string& text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = ::write(fd, text.data(), text.size()) == ssize_t(text.size());
  ::close(fd);
  return written;
}

// Users and groups keep their numbers.
bool enter_user_namespace() {
  const std::string uid = std::to_string(::geteuid()), gid = std::to_string(::getegid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  write_once("/proc/self/setgroups", "deny");
  return write_once("/proc/self/uid_map", uid + " " + uid + " 1") &&
         write_once("/proc/self/gid_map", gid + " " + gid + " 1");
}

bool enter_namespace(bool user_namespace) {
  const bool entered = user_namespace ? enter_user_namespace() : ::unshare(CLONE_NEWNS) == 0;
  // Changes here stay here; what the machine mounts or unmounts later is still followed.
  return entered && ::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0;
}

bool may_enter(const struct stat& folder, const ShimUser& user) {
  if (user.uid == 0) return true;
  if (folder.st_uid == uid_t(user.uid)) return folder.st_mode & S_IXUSR;
  const bool member = folder.st_gid == gid_t(user.gid) ||
                      std::count(user.groups.begin(), user.groups.end(), std::int64_t(folder.st_gid)) > 0;
  return folder.st_mode & (member ? S_IXGRP : S_IXOTH);
}

// The first folder above `path` that the user may not enter; "" where it may enter all.
std::string closed_folder(const std::string& path, const ShimUser& user) {
  for (std::size_t slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    struct stat status {};
    if (::stat(folder.c_str(), &status) == 0 && !may_enter(status, user)) return folder;
  }
  return "";
}

// Changes the flags of a mount, and keeps those that only the machine's root may change.
bool set_flags(const std::string& path, unsigned long flags) {
  struct statvfs now {};
  if (::statvfs(path.c_str(), &now) != 0) return false;
  if (now.f_flag & ST_RDONLY) flags |= MS_RDONLY;
  if (now.f_flag & ST_NOEXEC) flags |= MS_NOEXEC;
  if (now.f_flag & ST_NOATIME) flags |= MS_NOATIME;
  if (now.f_flag & ST_NODIRATIME) flags |= MS_NODIRATIME;
  if (now.f_flag & ST_RELATIME) flags |= MS_RELATIME;
  return ::mount(nullptr, path.c_str(), nullptr, MS_REMOUNT | MS_BIND | flags, nullptr) == 0;
}

// Lists only processes of the task's own user. Kernels before 5.8 do not support the value, and list all, as does a container
// that covers parts of its own /proc: can_hide_processes() finds that out beforehand.
bool hide_processes() {
  return ::mount("proc", "/proc", "proc", kSafeMount | MS_NOEXEC, "hidepid=invisible") == 0;
}

// Whether the test succeeds in a child process.
template <class Test>
bool succeeds_in_child(Test test) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(test() ? 0 : 1);
  int status = 1;
  return pid > 0 && ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class Mounts {
 public:
  Mounts(const ShimIsolation& isolation, const ShimUser& user) : isolation_(isolation), user_(user) {}

  base::Result<Nothing> enter() {
    if (!enter_namespace(isolation_.user_namespace)) return mount_error("mount namespace");
    choose_folders_to_cover();
    // The originals, before other mounts cover them.
    if (!isolation_.tmp.empty()) tmp_ = ::open(isolation_.tmp.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (const ShimPath& path : isolation_.visible) originals_.push_back(::open(path.path.c_str(), O_PATH | O_CLOEXEC));
    const bool covered = cover_folders() && replace_tmp() && show_paths() && seal_folders();
    if (!covered) return mount_error(failed_at_);
    if (!isolation_.user_namespace) hide_processes();
    return Nothing{};
  }

 private:
  bool fails_at(const std::string& path) {
    failed_at_ = path;
    return false;
  }

  bool is_covered(const std::string& path) const {
    const auto below = [&](const std::string& folder) { return is_below(path, folder); };
    return std::any_of(covered_.begin(), covered_.end(), below) || is_in_tmp(path);
  }
  bool is_in_tmp(const std::string& path) const {
    const auto below = [&](const char* folder) { return is_below(path, folder); };
    return !isolation_.tmp.empty() && std::any_of(std::begin(kTmpFolders), std::end(kTmpFolders), below);
  }

  void choose_folders_to_cover() {
    std::vector<std::string> wanted = isolation_.hidden;
    for (const ShimPath& path : isolation_.visible) wanted.push_back(closed_folder(path.path, user_));
    // A folder comes before those below it, which need no mount of their own.
    std::sort(wanted.begin(), wanted.end());
    for (const std::string& path : wanted) {
      struct stat status {};
      if (path.empty() || is_covered(path) || ::stat(path.c_str(), &status) != 0) continue;
      (S_ISDIR(status.st_mode) ? covered_ : hidden_files_).push_back(path);
    }
  }

  bool cover_folders() {
    for (const std::string& folder : covered_) {
      if (::mount("stoker", folder.c_str(), "tmpfs", kSafeMount | MS_NOEXEC, kEmptyFolder) != 0) return fails_at(folder);
    }
    for (const std::string& file : hidden_files_) {
      if (::mount("/dev/null", file.c_str(), nullptr, MS_BIND, nullptr) != 0) return fails_at(file);
    }
    return true;
  }

  bool bind(int original, const std::string& path, unsigned long flags) {
    const std::string source = "/proc/self/fd/" + std::to_string(original);
    if (::mount(source.c_str(), path.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) return fails_at(path);
    return set_flags(path, flags) || fails_at(path);
  }

  bool replace_tmp() {
    if (isolation_.tmp.empty()) return true;
    if (tmp_ < 0) return fails_at(isolation_.tmp);
    for (const char* folder : kTmpFolders) {
      struct stat status {};
      const bool exists = ::lstat(folder, &status) == 0 && S_ISDIR(status.st_mode);
      if (exists && !bind(tmp_, folder, kSafeMount)) return false;
    }
    return true;
  }

  // The mount point of a path, in an empty folder or in the task's /tmp.
  bool make_place(const std::string& path, int original) {
    for (std::size_t slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1)) {
      const std::string folder = path.substr(0, slash);
      if (is_covered(folder) && ::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) return fails_at(folder);
    }
    struct stat status {};
    if (::fstat(original, &status) != 0) return fails_at(path);
    if (S_ISDIR(status.st_mode)) return ::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST || fails_at(path);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0) return fails_at(path);
    ::close(fd);
    return true;
  }

  bool show_paths() {
    for (std::size_t i = 0; i < originals_.size(); ++i) {
      const ShimPath& visible = isolation_.visible[i];
      // A missing program or folder is missing for the task as well.
      if (!is_covered(visible.path) || originals_[i] < 0) continue;
      const unsigned long flags = kSafeMount | (visible.writable ? 0 : MS_RDONLY);
      if (!make_place(visible.path, originals_[i]) || !bind(originals_[i], visible.path, flags)) return false;
    }
    return true;
  }

  bool seal_folders() {
    for (const std::string& folder : covered_) {
      if (!set_flags(folder, kSafeMount | MS_NOEXEC | MS_RDONLY)) return fails_at(folder);
    }
    return true;
  }

  const ShimIsolation& isolation_;
  const ShimUser& user_;
  std::vector<std::string> covered_, hidden_files_;
  std::vector<int> originals_;  // of the visible paths; -1: missing. exec closes them
  int tmp_ = -1;
  std::string failed_at_;
};

}  // namespace

base::Result<Nothing> enter_mounts(const ShimIsolation& isolation, const ShimUser& user) {
  return Mounts(isolation, user).enter();
}

bool can_enter_mounts(bool user_namespace) {
  return succeeds_in_child([&] {
    return enter_namespace(user_namespace) &&
           ::mount("stoker", "/tmp", "tmpfs", kSafeMount | MS_NOEXEC, kEmptyFolder) == 0;
  });
}

bool can_hide_processes() {
  return succeeds_in_child([] { return enter_namespace(false) && hide_processes(); });
}

}  // namespace agent::drivers
