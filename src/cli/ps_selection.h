// SPDX-License-Identifier: Apache-2.0
// Which tasks `stoker ps` shows, and in which form: --filter and --format.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/rows.h"

namespace cli {

// Values of one key are alternatives; all keys have to match.
class TaskFilters {
 public:
  bool empty() const { return wanted_.empty(); }
  bool needs_machines() const { return wanted_.contains("machine"); }
  bool match(const shapes::ecs::Task& task, const TaskContext& context) const;

 private:
  friend TaskFilters parse_filters(const std::vector<std::string>& texts);
  std::map<std::string, std::vector<std::string>> wanted_;
};

// "status=RUNNING", "family=train", "service=web", "machine=box-a", "id=3fa9", "started-by=alice". Throws
// std::runtime_error for an unknown key.
TaskFilters parse_filters(const std::vector<std::string>& texts);

// "{{.ID}} {{.Status}}". Throws std::runtime_error for an unknown field.
void check_format(const std::string& format);
std::string format_task(const std::string& format, const shapes::ecs::Task& task, const TaskContext& context);

}  // namespace cli
