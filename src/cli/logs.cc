// SPDX-License-Identifier: Apache-2.0
// stoker logs
#include <algorithm>
#include <ostream>

#include "cli/awslogs.h"
#include "cli/cluster_client.h"
#include "cli/json.h"
#include "cli/log_stream.h"
#include "cli/names.h"
#include "wire/timestamp.h"

namespace cli {
namespace {

// The length of a complete id. Shorter ones are prefixes, of tasks that ECS still describes.
constexpr std::size_t kTaskIdLength = 32;

class Printer {
 public:
  Printer(const Options& options, const LogArguments& arguments, bool name_containers, std::ostream& out,
          std::ostream& err)
      : json_(options.json), timestamps_(arguments.timestamps), names_(name_containers), out_(out), err_(err) {}

  bool print(const LogLine& line) {
    std::ostream& to = line.stream == "stderr" && !json_ ? err_ : out_;
    if (json_) {
      print_json(to, line);
    } else {
      if (timestamps_) to << wire::to_iso8601(base::from_millis(line.at)) << ' ';
      if (names_) to << line.container << " | ";
      to << line.text << '\n';
    }
    to.flush();
    return to.good();
  }

 private:
  bool json_, timestamps_, names_;
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
  const auto each = [&](LogLine line) { return printer.print(line); };
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

}  // namespace

int logs(const Options& options, const LogArguments& arguments, std::ostream& out, std::ostream& err) {
  ClusterClient client(options);
  std::string id;
  try {
    id = client.find_task(arguments.task);
  } catch (const std::runtime_error&) {
    if (print_old_task(client, options, arguments, out, err)) return 0;
    throw;
  }
  const shapes::ecs::Task task = client.describe_task(id);
  const std::size_t count = task.containers ? task.containers->size() : 0;
  Printer printer(options, arguments, count > 1 && !arguments.container, out, err);
  print_task(client, task, id, arguments, printer);
  return 0;
}

}  // namespace cli
