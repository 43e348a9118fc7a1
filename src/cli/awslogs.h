// SPDX-License-Identifier: Apache-2.0
// Reads the output of containers with the log driver awslogs from CloudWatch Logs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/cluster_client.h"
#include "cli/log_stream.h"

namespace cli {

struct LogSource {
  std::string container;
  std::string group, region, stream;
};

// The streams of the task's containers that have awslogs.
std::vector<LogSource> awslogs_sources(ClusterClient& client, const shapes::ecs::Task& task);

// The streams of a task that ECS no longer describes: those that its id and a task definition name. `id` is
// complete. Streams without a prefix are not found.
std::vector<LogSource> find_old_sources(ClusterClient& client, const std::string& id);

struct SourceReading {
  std::optional<int> tail;            // the last lines of each source
  std::function<bool()> has_ended;    // true: no more lines will come, and reading stops at the end
};

// Calls `each` for each event until the end, or until it returns false. A stream that does not exist is empty.
void read_sources(const client::Profile& profile, const std::vector<LogSource>& sources, const SourceReading& reading,
                  const std::function<bool(LogLine)>& each);

}  // namespace cli
