// SPDX-License-Identifier: Apache-2.0
// stoker logs
#include <algorithm>
#include <future>
#include <limits>
#include <map>
#include <mutex>
#include <ostream>

#include "cli/awslogs.h"
#include "cli/cluster_client.h"
#include "cli/json.h"
#include "cli/log_stream.h"
#include "cli/names.h"
#include "cli/since.h"
#include "cli/terminal_text.h"
#include "cli/usage_error.h"
#include "wire/timestamp.h"

namespace cli {
namespace {

// The length of a complete id. Shorter ones are prefixes, of tasks that ECS still describes.
constexpr std::size_t kTaskIdLength = 32;
constexpr std::size_t kMostTasksTogether = 20;  // each has a connection

// Used by one thread for each task.
class Printer {
 public:
  Printer(const Options& options, const LogArguments& arguments, bool name_containers, std::ostream& out,
          std::ostream& err)
      : json_(options.json), timestamps_(arguments.timestamps), names_(name_containers), out_(out), err_(err) {
    if (arguments.since.empty()) return;
    const auto since = parse_since(arguments.since, base::SystemClock().now());
    if (!since) throw UsageError(since.error());
    since_ms_ = base::to_millis(*since);
  }

  // Of the tasks that are printed together.
  void name_tasks() { name_tasks_ = true; }

  // Instead of the output of a task.
  void report(const std::string& task, const std::string& error) {
    const std::lock_guard lock(mutex_);
    err_ << "stoker: task " << short_id(task) << ": " << terminal_text(error) << std::endl;
  }

  bool print(const LogLine& line, const std::string& task = "") {
    if (line.at < since_ms_) return true;
    const std::lock_guard lock(mutex_);
    std::ostream& to = line.stream == "stderr" && !json_ ? err_ : out_;
    if (json_) {
      print_json(to, line);
    } else {
      bool& inside = inside_[task + " " + line.container + " " + line.stream];
      if (!inside && name_tasks_) to << short_id(task) << " | ";
      if (!inside && timestamps_) to << wire::to_iso8601(base::from_millis(line.at)) << ' ';
      if (!inside && names_) to << line.container << " | ";
      inside = line.partial.value_or(false);
      to << bytes_of(line);
    }
    to.flush();
    return to.good();
  }

 private:
  bool json_, timestamps_, names_, name_tasks_ = false;
  std::int64_t since_ms_ = std::numeric_limits<std::int64_t>::min();
  std::mutex mutex_;
  std::map<std::string, bool> inside_;  // of a line, by task, container and stream
  std::ostream &out_, &err_;
};

std::vector<std::string> selected_containers(const shapes::ecs::Task& task, const LogArguments& arguments) {
  std::vector<std::string> names;
  for (const auto& container : task.containers.value_or(std::vector<shapes::ecs::Container>())) {
    if (!arguments.container || container.name == *arguments.container) names.push_back(container.name.value_or(""));
  }
  if (names.empty() && arguments.container) throw std::runtime_error("the task has no container " + *arguments.container);
  return names;
}

// Of a task that ECS no longer describes, only what is in CloudWatch Logs remains.
bool print_old_task(ClusterClient& client, const Options& options, const LogArguments& arguments, std::ostream& out,
                    std::ostream& err) {
  const std::string id = id_of(arguments.task);
  if (id.size() != kTaskIdLength) return false;
  std::vector<LogSource> sources = find_old_sources(client, id);
  if (arguments.container) {
    std::erase_if(sources, [&](const LogSource& source) { return source.container != *arguments.container; });
  }
  if (sources.empty()) return false;
  Printer printer(options, arguments, sources.size() > 1, out, err);
  read_sources(client.profile(), sources, {arguments.tail, [] { return true; }},
               [&](LogLine line) { return printer.print(line); });
  return true;
}

void print_task(ClusterClient& client, const shapes::ecs::Task& task, const std::string& id, const LogArguments& arguments,
                Printer& printer) {
  const std::vector<std::string> names = selected_containers(task, arguments);
  std::vector<LogSource> sources = awslogs_sources(client, task);
  std::erase_if(sources, [&](const LogSource& source) { return std::ranges::count(names, source.container) == 0; });
  const auto each = [&](LogLine line) { return printer.print(line, id); };
  // The machine has the output of all containers, so it is the better source for a mixture of log drivers.
  const bool mixed = sources.size() < names.size();
  if (sources.empty() || (mixed && arguments.follow)) {
    LogRequest request{client.cluster(), id, arguments.container, arguments.follow, arguments.tail};
    read_logs(client.profile(), request, each);
    return;
  }
  const auto has_ended = [&] {
    return !arguments.follow || client.describe_task(id).lastStatus.value_or("STOPPED") == "STOPPED";
  };
  read_sources(client.profile(), sources, {arguments.tail, has_ended}, each);
  for (const std::string& name : names) {
    const bool read = std::ranges::any_of(sources, [&](const LogSource& source) { return source.container == name; });
    if (!read) read_logs(client.profile(), {client.cluster(), id, name, false, arguments.tail}, each);
  }
}

// One after the other, or all at once to follow them. A task without output does not hide that of the others. False: one
// of several could not be read.
bool print_tasks_together(const Options& options, const LogArguments& arguments,
                          const std::vector<shapes::ecs::Task>& tasks, Printer& printer) {
  if (tasks.size() > kMostTasksTogether) {
    throw std::runtime_error(std::to_string(tasks.size()) + " tasks have this name, and at most " +
                             std::to_string(kMostTasksTogether) + " are printed together: name one of them");
  }
  if (tasks.size() > 1) printer.name_tasks();
  const auto print = [&](const shapes::ecs::Task& task) {
    const std::string id = id_of(*task.taskArn);
    try {
      ClusterClient client(options);
      print_task(client, task, id, arguments, printer);
      return true;
    } catch (const wire::ApiError& error) {
      if (tasks.size() == 1) throw;
      printer.report(id, error.message());
      return false;
    }
  };
  bool all_read = true;
  if (!arguments.follow || tasks.size() == 1) {
    for (const auto& task : tasks) all_read = print(task) && all_read;
    return all_read;
  }
  std::vector<std::future<bool>> reading;
  for (const auto& task : tasks) reading.push_back(std::async(std::launch::async, print, std::cref(task)));
  for (std::future<bool>& one : reading) all_read = one.get() && all_read;
  return all_read;
}

}  // namespace

int logs(const Options& options, const LogArguments& arguments, std::ostream& out, std::ostream& err) {
  ClusterClient client(options);
  std::vector<shapes::ecs::Task> tasks;
  try {
    const std::string id = client.find_task(arguments.task);
    tasks.push_back(client.describe_task(id));
    tasks.front().taskArn = id;
  } catch (const std::runtime_error&) {
    if (print_old_task(client, options, arguments, out, err)) return 0;
    tasks = client.tasks_of(arguments.task);
    if (tasks.empty()) throw;
  }
  const std::size_t count = tasks.front().containers ? tasks.front().containers->size() : 0;
  Printer printer(options, arguments, count > 1 && !arguments.container, out, err);
  return print_tasks_together(options, arguments, tasks, printer) ? 0 : 1;
}

}  // namespace cli
