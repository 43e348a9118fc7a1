// SPDX-License-Identifier: Apache-2.0
#include "ocr/confine.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "ocr/descriptor.h"

namespace ocr {
namespace {

constexpr rlim_t kMaxOpenFiles = 64;

void set_limit(int resource, rlim_t value) {
  const rlimit limit{value, value};
  if (::setrlimit(__rlimit_resource_t(resource), &limit) != 0) {
    throw std::system_error(errno, std::generic_category(), "setrlimit");
  }
}

// What may be read. A path that does not exist is skipped.
constexpr std::array kReadable = {"/usr", "/lib", "/lib64", "/bin", "/opt/stoker", "/etc/ld.so.cache", "/etc/fonts",
                                  "/var/cache/fontconfig", "/dev/null"};

constexpr std::uint64_t kReadRights =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kFileRights = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE;

// The rights that a version of Landlock knows: 13 in the first, then one more a version up to the third.
std::uint64_t known_rights(long version) { return (1ull << (version >= 3 ? 15 : version + 12)) - 1; }

void allow_reading(int ruleset, const char* path) {
  const Descriptor folder(::open(path, O_PATH | O_CLOEXEC));
  if (!folder) return;
  landlock_path_beneath_attr rule{.allowed_access = kReadRights, .parent_fd = folder.get()};
  // A file has no rights of folders.
  if (::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
    rule.allowed_access = kFileRights;
    ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  }
}

}  // namespace

void limit_resources(const ResourceLimits& limits) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_NOFILE, kMaxOpenFiles);
  if (limits.file_bytes > 0) set_limit(RLIMIT_FSIZE, rlim_t(limits.file_bytes));
  if (limits.memory_bytes > 0) set_limit(RLIMIT_AS, rlim_t(limits.memory_bytes));
  if (limits.cpu.count() > 0) {
    set_limit(RLIMIT_CPU, rlim_t(std::chrono::duration_cast<std::chrono::seconds>(limits.cpu).count()));
  }
}

void leave_network() { (void)::unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC); }

void hide_files() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  const landlock_ruleset_attr attributes{.handled_access_fs = known_rights(version)};
  const Descriptor ruleset(int(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)));
  if (!ruleset) return;
  for (const char* path : kReadable) allow_reading(ruleset.get(), path);
  ::syscall(SYS_landlock_restrict_self, ruleset.get(), 0);
}

}  // namespace ocr
