// SPDX-License-Identifier: Apache-2.0
#include "cli/ps_selection.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "base/bytes.h"
#include "cli/names.h"
#include "cli/usage_error.h"

namespace cli {
namespace {

using shapes::ecs::Task;
using Value = std::string (*)(const Task&, const TaskContext&);

std::string family_of(const Task& task) {
  const std::string name = family_and_revision(task.taskDefinitionArn.value_or(""));
  return name.substr(0, name.rfind(':'));
}

const std::map<std::string, Value>& filter_values() {
  static const std::map<std::string, Value> values{
      {"id", [](const Task& task, const TaskContext&) { return id_of(task.taskArn.value_or("")); }},
      {"status", [](const Task& task, const TaskContext&) { return task_status_text(task); }},
      {"family", [](const Task& task, const TaskContext&) { return family_of(task); }},
      {"service", [](const Task& task, const TaskContext&) { return service_of(task.group.value_or("")); }},
      {"machine", [](const Task& task, const TaskContext& context) { return task_machine(task, context); }},
      {"started-by", [](const Task& task, const TaskContext&) { return task.startedBy.value_or(""); }}};
  return values;
}

const std::map<std::string, Value>& format_values() {
  static const std::map<std::string, Value> values{
      {"ID", [](const Task& task, const TaskContext&) { return id_of(task.taskArn.value_or("")); }},
      {"ShortID", [](const Task& task, const TaskContext&) { return short_id(task.taskArn.value_or("")); }},
      {"ARN", [](const Task& task, const TaskContext&) { return task.taskArn.value_or(""); }},
      {"Family", [](const Task& task, const TaskContext&) { return family_of(task); }},
      {"Definition",
       [](const Task& task, const TaskContext&) { return family_and_revision(task.taskDefinitionArn.value_or("")); }},
      {"Status", [](const Task& task, const TaskContext&) { return task_status_text(task); }},
      {"GPUs", &task_gpus_text},
      {"Machine", &task_machine},
      {"Ran", [](const Task& task, const TaskContext& context) { return task_time(task, context.now); }},
      {"Group", [](const Task& task, const TaskContext&) { return task.group.value_or(""); }},
      {"Service", [](const Task& task, const TaskContext&) { return service_of(task.group.value_or("")); }},
      {"StartedBy", [](const Task& task, const TaskContext&) { return task.startedBy.value_or(""); }},
      {"Reason", [](const Task& task, const TaskContext& context) { return task_reason(task, context); }}};
  return values;
}

std::string names_of(const std::map<std::string, Value>& values) {
  std::string names;
  for (const auto& [name, value] : values) names += (names.empty() ? "" : ", ") + name;
  return names;
}

// Calls `text` for what is between the fields, and `field` for each name.
void read_format(const std::string& format, const std::function<void(std::string_view)>& text,
                 const std::function<void(const std::string&)>& field) {
  for (std::size_t at = 0; at < format.size();) {
    const std::size_t open = std::min(format.find("{{", at), format.size());
    text(std::string_view(format).substr(at, open - at));
    if (open == format.size()) return;
    const std::size_t close = format.find("}}", open);
    if (close == format.npos) throw UsageError("--format: '{{' without '}}'");
    std::string_view name = base::trim(std::string_view(format).substr(open + 2, close - open - 2));
    if (name.starts_with('.')) name.remove_prefix(1);
    field(std::string(name));
    at = close + 2;
  }
}

}  // namespace

TaskFilters parse_filters(const std::vector<std::string>& texts) {
  TaskFilters filters;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string key = text.substr(0, equals);
    if (equals == text.npos || !filter_values().contains(key)) {
      throw UsageError("--filter " + text + ": use KEY=VALUE with one of the keys " + names_of(filter_values()));
    }
    filters.wanted_[key].push_back(text.substr(equals + 1));
  }
  return filters;
}

bool TaskFilters::match(const Task& task, const TaskContext& context) const {
  return std::ranges::all_of(wanted_, [&](const auto& entry) {
    const std::string value = filter_values().at(entry.first)(task, context);
    return std::ranges::any_of(entry.second, [&](const std::string& wanted) {
      if (entry.first == "id") return !wanted.empty() && value.starts_with(wanted);
      return base::equals_ignoring_case(value, wanted);
    });
  });
}

void check_format(const std::string& format) {
  read_format(
      format, [](std::string_view) {},
      [](const std::string& name) {
        if (!format_values().contains(name)) {
          throw UsageError("--format: unknown field '" + name + "'; there are " + names_of(format_values()));
        }
      });
}

std::string format_task(const std::string& format, const Task& task, const TaskContext& context) {
  std::string out;
  read_format(
      format, [&](std::string_view text) { out += text; },
      [&](const std::string& name) { out += format_values().at(name)(task, context); });
  return out;
}

}  // namespace cli
