// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/task_privileges.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "agent/drivers/path_below.h"

namespace agent::drivers {
namespace {

// Of version 6; older headers lack the last member.
struct RulesetAttributes {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scopes = 0;
};
constexpr std::uint64_t kScopeSignal = 1u << 1;
constexpr int kHighestCapability = 63;

constexpr std::uint64_t kReadRights =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kRefer = 1u << 13;     // from version 2
constexpr std::uint64_t kTruncate = 1u << 14;  // from version 3
constexpr std::uint64_t kFileRights =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;

// The rights that a version supports: 13 in the first, then one more a version up to the third.
std::uint64_t known_rights(int version) { return (1ull << (version >= 3 ? 15 : version + 12)) - 1; }

class FileRules {
 public:
  FileRules(int ruleset, std::uint64_t all) : ruleset_(ruleset), all_(all) {}

  void allow(const std::string& path, std::uint64_t rights) const {
    const int fd = ::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat status {};
    if (fd < 0 || ::fstat(fd, &status) != 0) return;
    landlock_path_beneath_attr rule{.allowed_access = rights & all_, .parent_fd = fd};
    if (!S_ISDIR(status.st_mode)) rule.allowed_access &= kFileRights;
    if (!S_ISLNK(status.st_mode)) ::syscall(SYS_landlock_add_rule, ruleset_, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    ::close(fd);
  }

  // Rules only add rights to what is below a folder. So each folder that is beside the hidden ones gets a rule.
  void allow_all_but(const std::vector<std::string>& hidden, const std::string& folder) const {
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
      const std::string path = entry.path();
      const auto same = [&](const std::string& one) { return one == path; };
      const auto contains = [&](const std::string& one) { return is_below(one, path); };
      if (std::any_of(hidden.begin(), hidden.end(), same)) continue;
      if (std::any_of(hidden.begin(), hidden.end(), contains)) {
        allow_all_but(hidden, path);
      } else {
        allow(path, all_);
      }
    }
  }

 private:
  int ruleset_;
  std::uint64_t all_;
};

}  // namespace

bool give_up_new_privileges() { return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; }

void give_up_capabilities() {
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  // Fails from the first unknown one on. The change of user takes what the process itself has.
  for (int capability = 0; capability <= kHighestCapability; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) break;
  }
}

int landlock_version() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return int(std::max(version, 0L));
}

bool enter_landlock(const ShimIsolation& isolation) {
  const int version = landlock_version();
  RulesetAttributes attributes;
  if (isolation.landlock_files) attributes.files = known_rights(version);
  // Any domain keeps its processes from tracing those outside of it, and from what needs that right: their environment,
  // memory and open files. This one denies what no task can do anyway; links and renames between folders have to be allowed.
  const bool bare = isolation.landlock_domain && !isolation.landlock_files;
  if (bare) attributes.files = LANDLOCK_ACCESS_FS_MAKE_BLOCK | (known_rights(version) & kRefer);
  const bool scoped = isolation.landlock_scope && version >= kLandlockWithScopes;
  if (scoped) attributes.scopes = kScopeSignal;
  // Older kernels accept a longer structure only if the unknown rest is zero.
  const int ruleset = int(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0));
  if (ruleset < 0) return false;
  if (bare) FileRules(ruleset, attributes.files).allow("/", kRefer);
  if (isolation.landlock_files) {
    const FileRules rules(ruleset, attributes.files);
    rules.allow_all_but(isolation.hidden, "/");
    for (const ShimPath& path : isolation.visible) {
      rules.allow(path.path, path.writable ? attributes.files : kReadRights);
    }
  }
  const bool entered = ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  ::close(ruleset);
  return entered;
}

}  // namespace agent::drivers
