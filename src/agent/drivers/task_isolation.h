// SPDX-License-Identifier: Apache-2.0
// How far the tasks of the process driver are kept from the machine, from the agent and from one another: decided once, when
// the driver opens, from the operator's options and from what the kernel permits.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/drivers/driver.h"
#include "agent/drivers/shim_folder.h"
#include "agent/drivers/task_users.h"
#include "base/result.h"

namespace agent::drivers {

inline constexpr char kDefaultTaskUids[] = "2000000000-2000065535";

struct IsolationOptions {
  std::string task_user = {};                 // one user for all tasks; "": one for each
  std::string task_uids = kDefaultTaskUids;   // for users of their own
  std::vector<std::string> hidden = {};       // folders and files of the agent and of the server
  std::string claims = "/run/stoker/task-uids";  // of all agents of this machine
  bool mounts = true;                         // false: as where the kernel forbids mount namespaces
  int most_landlock = 1000;                   // uses no later version of Landlock
};

struct TaskAccount {
  std::optional<ShimUser> user;  // none: the agent's
  std::string home = {};
  std::string name = {};  // for USER and LOGNAME, of a user without an entry in passwd; "": not set
  bool shared = false;    // by several tasks
};

class TaskIsolation {
 public:
  // `folder` is the driver's own.
  static base::Result<TaskIsolation> open(const IsolationOptions& options, const std::string& folder);

  // One line for people: what tasks are kept from, and what they are not.
  std::string statement() const;

  // The account for a container whose definition has this `user`. It may lower privileges, never raise them. The first call
  // for a task claims its user.
  base::Result<TaskAccount> account(const std::string& task, const std::string& user, const ContainerSpec& container) const;
  // None where tasks are as free as their user. `visible` are paths that tasks need in hidden folders.
  std::optional<ShimIsolation> isolation(const TaskAccount& account, std::vector<ShimPath> visible) const;
  // Kills processes of the task's own user: its own, wherever they went. True when none is left.
  bool kill_user(const std::string& task) const;
  // Call when no process of the task is left.
  void release(const std::string& task) const;

 private:
  enum class Users { Own, Fixed, Agent };

  base::Result<TaskAccount> own_account(const std::string& task, const std::string& user,
                                        const ContainerSpec& container) const;

  Users users_ = Users::Agent;
  UidRange range_;  // its first number is the user of all containers that share a GPU
  std::optional<TaskUsers> own_;
  std::string fixed_;          // the name of the one user
  bool unrestricted_ = false;  // that user is root
  bool mounts_ = false, user_namespace_ = false, hides_processes_ = false;
  int landlock_ = 0;
  std::vector<std::string> hidden_;
};

// "name" or "uid", optionally with ":group". Errors have Docker's text.
base::Result<TaskAccount> find_account(const std::string& text);

}  // namespace agent::drivers
