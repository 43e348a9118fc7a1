// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/task_isolation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "agent/drivers/process_state.h"
#include "agent/drivers/task_mounts.h"
#include "agent/drivers/task_privileges.h"

namespace agent::drivers {
namespace {

std::string canonical_path(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path found = std::filesystem::weakly_canonical(path, failed);
  return failed ? path : found.string();
}

}  // namespace

base::Result<TaskIsolation> TaskIsolation::open(const IsolationOptions& options, const std::string& folder) {
  const bool root = ::geteuid() == 0;
  TaskIsolation isolation;
  for (const std::string& path : options.hidden) isolation.hidden_.push_back(canonical_path(path));
  if (!options.task_user.empty()) {
    const auto account = find_account(options.task_user);
    if (!account) return base::Error{"--task-user: " + account.error()};
    if (!root && account->user->uid != std::int64_t(::geteuid())) {
      return base::Error{"--task-user " + options.task_user + ": only an agent of root can run tasks as another user"};
    }
    isolation.users_ = root ? Users::Fixed : Users::Agent;
    isolation.fixed_ = options.task_user;
    isolation.unrestricted_ = account->user->uid == 0;
    if (isolation.unrestricted_) return isolation;
  } else if (root) {
    const auto range = parse_uid_range(options.task_uids);
    if (!range) return base::Error{"--task-uids: " + range.error()};
    if (!has_uids(*range)) {
      return base::Error{fmt::format("--task-uids: this machine has no users {}-{}, see /proc/self/uid_map: choose others",
                                     range->first, range->last)};
    }
    isolation.users_ = Users::Own;
    isolation.range_ = *range;
    isolation.own_.emplace(UidRange{range->first + 1, range->last}, options.claims, folder + "/.users");
  }
  isolation.user_namespace_ = !root;
  isolation.mounts_ = options.mounts && can_enter_mounts(!root);
  isolation.hides_processes_ = isolation.mounts_ && root && can_hide_processes();
  isolation.landlock_ = std::min(landlock_version(), options.most_landlock);
  return isolation;
}

std::string TaskIsolation::statement() const {
  if (unrestricted_) return "tasks run as root and can do everything on this machine: --task-user root";
  const bool hides = mounts_ || landlock_ > 0;
  std::string text = "each task runs as a user of its own, ";
  if (users_ == Users::Own) text += fmt::format("{}-{}", range_.first, range_.last);
  if (users_ == Users::Fixed) text = fmt::format("all tasks run as the user {}: --task-user", fixed_);
  if (users_ == Users::Agent) text = "tasks run as the agent's user, as only root can choose another";
  text += "; without new privileges";
  if (mounts_) text += ", with a private /tmp";
  if (hides) text += ", without access to the folders of agent and server";
  std::string open = "the network";
  if (landlock_ < kLandlockWithScopes) {
    open += landlock_ > 0 ? ", signals to processes of " : ", processes of ";
    open += users_ == Users::Own ? "containers that share a GPU among one another" : "that user";
  }
  if (!hides_processes_) open += ", the list of processes";
  if (users_ != Users::Own) open += ", other files of that user";
  if (!hides && users_ != Users::Own) open += ", the folders of agent and server";
  if (!mounts_) open += ", /tmp";
  return text + "; not isolated: " + open;
}

std::optional<ShimIsolation> TaskIsolation::isolation(const TaskAccount& account, std::vector<ShimPath> visible) const {
  if (unrestricted_) return std::nullopt;
  ShimIsolation isolation;
  isolation.mounts = mounts_;
  isolation.user_namespace = user_namespace_;
  isolation.own_user = users_ != Users::Agent;
  isolation.landlock_files = !mounts_ && landlock_ > 0;
  isolation.landlock_scope = account.shared && landlock_ >= kLandlockWithScopes;
  isolation.landlock_domain = account.shared && landlock_ > 0 && landlock_ < kLandlockWithScopes;
  isolation.hidden = hidden_;
  for (ShimPath& path : visible) {
    path.path = canonical_path(path.path);
    isolation.visible.push_back(std::move(path));
  }
  return isolation;
}

bool TaskIsolation::kill_user(const std::string& task) const {
  const auto uid = own_ ? own_->find(task) : std::nullopt;
  return !uid || kill_processes_of(*uid);
}

void TaskIsolation::release(const std::string& task) const {
  if (own_) own_->release(task);
}

}  // namespace agent::drivers
