// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "agent/drivers/task_isolation.h"
#include "agent/drivers/whole_number.h"

namespace agent::drivers {
namespace {

// Groups that own GPU devices which not everybody may open: "video", "render".
std::vector<std::int64_t> gpu_groups() {
  std::vector<std::int64_t> groups;
  for (const char* folder : {"/dev", "/dev/dri", "/dev/nvidia-caps"}) {
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
      const std::string name = entry.path().filename();
      struct stat status {};
      const bool device = std::string_view(folder) != "/dev" || name.starts_with("nvidia");
      if (!device || ::stat(entry.path().c_str(), &status) != 0 || !S_ISCHR(status.st_mode)) continue;
      const bool by_group = (status.st_mode & S_IRGRP) && !(status.st_mode & S_IROTH) && status.st_gid != 0;
      if (by_group && !std::count(groups.begin(), groups.end(), status.st_gid)) groups.push_back(status.st_gid);
    }
  }
  return groups;
}

// NVIDIA's MPS serves one user at a time, so containers that share GPUs have the same one.
TaskAccount sharing_account(const TaskAccount& own, std::int64_t uid) {
  TaskAccount account = own;
  account.user->uid = account.user->gid = uid;
  account.shared = true;
  return account;
}

}  // namespace

base::Result<TaskAccount> find_account(const std::string& text) {
  TaskAccount account;
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon), group = colon == text.npos ? "" : text.substr(colon + 1);
  const auto uid = whole_number(name);
  const passwd* entry = uid ? ::getpwuid(uid_t(*uid)) : ::getpwnam(name.c_str());
  // The same text as Docker.
  if (!entry && !uid)
    return base::Error{fmt::format("unable to find user {}: no matching entries in passwd file", name)};
  ShimUser user{uid.value_or(entry ? entry->pw_uid : 0), entry ? entry->pw_gid : 0, {}};
  account.home = "/";
  if (entry) {
    account.home = entry->pw_dir;
    std::vector<gid_t> groups(256);
    int count = int(groups.size());
    if (::getgrouplist(entry->pw_name, entry->pw_gid, groups.data(), &count) < 0) count = 0;
    user.groups.assign(groups.begin(), groups.begin() + count);
  }
  if (!group.empty()) {
    const auto gid = whole_number(group);
    const ::group* found = gid ? nullptr : ::getgrnam(group.c_str());
    if (!gid && !found)
      return base::Error{fmt::format("unable to find group {}: no matching entries in group file", group)};
    user.gid = gid ? *gid : found->gr_gid;
    user.groups = {user.gid};
  }
  account.user = user;
  return account;
}

// A user of this machine may have more rights than the task's own: files, processes. Only `nobody` has less, and is the
// task's own user: tasks that shared it could read one another's credentials.
base::Result<TaskAccount> TaskIsolation::own_account(const std::string& task, const std::string& user,
                                                     const ContainerSpec& container) const {
  const auto uid = own_->claim(task);
  if (!uid) return base::Error{uid.error()};
  std::vector<std::int64_t> groups;
  if (!container.gpus.empty() || container.all_gpus) groups = gpu_groups();
  // With the task's group, other users of its containers may use the task's folder.
  groups.push_back(*uid);
  TaskAccount account{ShimUser{*uid, *uid, groups}, container.work_folder, fmt::format("task{}", *uid)};
  if (!container.mps_folders.empty()) account = sharing_account(account, range_.first);
  if (!user.empty()) {
    const auto named = find_account(user);
    const auto nobody = find_account("nobody");
    if (!named) return base::Error{named.error()};
    if (!nobody || named->user->uid != nobody->user->uid || named->user->gid != nobody->user->gid) {
      return base::Error{fmt::format(
          "user '{}' may have more rights than the task's own user: leave it out, choose nobody, or start the agent with "
          "--task-user", user)};
    }
  }
  if (!container.work_folder.empty()) {
    if (::chown(container.work_folder.c_str(), *uid, *uid) != 0 || ::chmod(container.work_folder.c_str(), 0770) != 0) {
      return base::Error{fmt::format("{}: {}", container.work_folder, std::strerror(errno))};
    }
  }
  return account;
}

base::Result<TaskAccount> TaskIsolation::account(const std::string& task, const std::string& user,
                                                 const ContainerSpec& container) const {
  if (users_ == Users::Own) return own_account(task, user, container);
  const std::string name = users_ == Users::Fixed ? fixed_ : std::to_string(::geteuid());
  auto allowed = find_account(name);
  if (!allowed) return allowed;
  if (!user.empty()) {
    auto named = find_account(user);
    if (!named) return named;
    if (allowed->user->uid == 0) return named;
    if (named->user->uid != allowed->user->uid || named->user->gid != allowed->user->gid) {
      return base::Error{fmt::format("tasks of this machine run as user {}, not as '{}'", name, user)};
    }
  }
  allowed->shared = true;
  if (users_ == Users::Agent) {
    allowed->user.reset();
  } else if (!container.work_folder.empty() && allowed->user->uid != 0) {
    [[maybe_unused]] const int owned =
        ::chown(container.work_folder.c_str(), uid_t(allowed->user->uid), gid_t(allowed->user->gid));
  }
  return allowed;
}

}  // namespace agent::drivers
