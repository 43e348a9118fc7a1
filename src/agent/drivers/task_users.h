// SPDX-License-Identifier: Apache-2.0
// Gives each task a user number of its own, which is its group number, too. Agents of one machine share the range: a claim
// is a file in a folder of the machine, which a reboot empties, as it ends all tasks. It names a file of the agent, which
// names the number: a claim whose file is gone is void.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace agent::drivers {

struct UidRange {
  std::int64_t first = 0;
  std::int64_t last = 0;  // included
};

// "2000000000-2000065535". The error names what is wrong.
base::Result<UidRange> parse_uid_range(const std::string& text);
// Whether this machine, or the container around it, has these numbers.
bool has_uids(const UidRange& range, const std::string& uid_map_file = "/proc/self/uid_map");

class TaskUsers {
 public:
  // `claims` is the machine's folder, `folder` the agent's. Both are created.
  TaskUsers(UidRange range, std::string claims, std::string folder);

  // The number of this task: the same one until it is released. Durable.
  base::Result<uid_t> claim(const std::string& task) const;
  // The number that it has claimed, since this boot.
  std::optional<uid_t> find(const std::string& task) const;
  // Call when no process of the task is left.
  void release(const std::string& task) const;

 private:
  std::string claim_file(std::int64_t uid) const;
  std::string task_file(const std::string& task) const { return folder_ + "/" + task; }
  std::optional<std::int64_t> number_in(const std::string& task_file) const;
  bool is_free(std::int64_t uid, const std::string& task_file) const;
  base::Result<uid_t> take(std::int64_t uid, const std::string& task_file) const;

  UidRange range_;
  std::string claims_, folder_;
};

}  // namespace agent::drivers
