// SPDX-License-Identifier: Apache-2.0
// stoker logs
#include <algorithm>
#include <ostream>

#include "cli/cluster_client.h"
#include "cli/json.h"
#include "cli/log_stream.h"
#include "wire/timestamp.h"

namespace cli {

int logs(const Options& options, const LogArguments& arguments, std::ostream& out, std::ostream& err) {
  ClusterClient client(options);
  LogRequest request{client.cluster(), client.find_task(arguments.task), arguments.container, arguments.follow,
                     arguments.tail};
  const auto containers = client.describe_task(request.task).containers.value_or(std::vector<shapes::ecs::Container>());
  if (arguments.container &&
      !std::ranges::any_of(containers, [&](const auto& container) { return container.name == arguments.container; })) {
    throw std::runtime_error("the task has no container " + *arguments.container);
  }
  const bool name_containers = containers.size() > 1 && !arguments.container;
  read_logs(client.profile(), request, [&](LogLine line) {
    std::ostream& to = line.stream == "stderr" && !options.json ? err : out;
    if (options.json) {
      print_json(to, line);
    } else {
      if (arguments.timestamps) to << wire::to_iso8601(base::from_millis(line.at)) << ' ';
      if (name_containers) to << line.container << " | ";
      to << line.text << '\n';
    }
    to.flush();
    return to.good();
  });
  return 0;
}

}  // namespace cli
