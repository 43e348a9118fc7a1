// SPDX-License-Identifier: Apache-2.0
#include "cli/awslogs.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>
#include <tuple>

#include "cli/names.h"
#include "shapes/ecs/task_definition.h"
#include "shapes/ecs/task_definition_list.h"
#include "shapes/logs/errors.h"
#include "shapes/logs/log_event.h"

namespace cli {
namespace {

using shapes::ecs::ContainerDefinition;
using shapes::logs::GetLogEventsRequest;
using shapes::logs::GetLogEventsResponse;

constexpr wire::Service kLogsService{.name = "logs",
                                     .target_prefix = "Logs_20140328",
                                     .api_version = "2014-03-28",
                                     .errors = shapes::logs::kErrors};
const client::Target kLogs{kLogsService, "logs", wire::Protocol::Json11};

constexpr int kMaxPage = 10'000;                      // events in a reply of GetLogEvents
constexpr std::size_t kMaxDefinitions = 2000;         // that a search for an old task looks at
constexpr std::chrono::milliseconds kFollowEvery{250};  // GetLogEvents has no long poll

std::vector<ContainerDefinition> containers_of(ClusterClient& client, const std::string& definition) {
  shapes::ecs::DescribeTaskDefinitionRequest request;
  request.taskDefinition = definition;
  try {
    auto found = client.call<shapes::ecs::DescribeTaskDefinitionResponse>("DescribeTaskDefinition", request);
    if (!found.taskDefinition) return {};
    return found.taskDefinition->containerDefinitions.value_or(std::vector<ContainerDefinition>());
  } catch (const wire::ApiError&) {
    return {};  // deleted since
  }
}

// Without its stream where there is no prefix. Nothing for another log driver.
std::optional<LogSource> source_of(const ContainerDefinition& container, const std::string& task_id) {
  if (!container.logConfiguration || container.logConfiguration->logDriver != "awslogs") return std::nullopt;
  const auto options = container.logConfiguration->options.value_or(std::map<std::string, std::string>());
  auto option = [&](const char* name) {
    const auto found = options.find(name);
    return found == options.end() ? std::string() : found->second;
  };
  LogSource source{container.name.value_or(""), option("awslogs-group"), option("awslogs-region"), ""};
  const std::string prefix = option("awslogs-stream-prefix");
  if (!prefix.empty()) source.stream = prefix + "/" + source.container + "/" + task_id;
  return source;
}

class SourceReader {
 public:
  SourceReader(const client::Profile& profile, LogSource source, const std::optional<int>& tail)
      : source_(std::move(source)), client_(in_region(profile, source_.region)) {
    if (tail) tail_ = std::min(*tail, kMaxPage);
  }

  bool exists() { return next().has_value(); }

  // All events up to the end. False: `each` returned false.
  bool read(const std::function<bool(LogLine)>& each) {
    for (;;) {
      const std::optional<std::string> before = token_;
      const auto page = next();
      if (!page) return true;
      for (const auto& event : page->events.value_or(std::vector<shapes::logs::OutputLogEvent>())) {
        // An event of several lines ends with a newline of its own.
        std::string text = event.message.value_or("");
        if (text.ends_with('\n')) text.pop_back();
        if (!each({source_.container, event.timestamp.value_or(0), "", std::move(text)})) return false;
      }
      // At the end the token comes back unchanged.
      if (token_ == before) return true;
    }
  }

 private:
  static client::Profile in_region(client::Profile profile, const std::string& region) {
    profile.region = region;
    return profile;
  }

  // The next page; nothing where the stream does not exist.
  std::optional<GetLogEventsResponse> next() {
    GetLogEventsRequest request;
    request.logGroupName = source_.group;
    request.logStreamName = source_.stream;
    request.nextToken = token_;
    request.startFromHead = token_ || !tail_;
    const bool last_lines = !token_ && tail_;
    if (last_lines) request.limit = std::max(*tail_, 1);
    try {
      auto page = client_.call<GetLogEventsResponse>(kLogs, "GetLogEvents", request);
      if (last_lines && *tail_ == 0) page.events.reset();
      token_ = page.nextForwardToken;
      return page;
    } catch (const wire::ApiError& error) {
      if (error.code() != "ResourceNotFoundException") throw;
      return std::nullopt;
    }
  }

  LogSource source_;
  client::Client client_;
  std::optional<int> tail_;
  std::optional<std::string> token_;
};

}  // namespace

std::vector<LogSource> awslogs_sources(ClusterClient& client, const shapes::ecs::Task& task) {
  std::vector<LogSource> sources;
  if (!task.taskDefinitionArn) return sources;
  for (const ContainerDefinition& definition : containers_of(client, *task.taskDefinitionArn)) {
    auto source = source_of(definition, id_of(task.taskArn.value_or("")));
    if (!source) continue;
    for (const shapes::ecs::Container& container : task.containers.value_or(std::vector<shapes::ecs::Container>())) {
      if (container.name == source->container && source->stream.empty()) source->stream = container.runtimeId.value_or("");
    }
    sources.push_back(std::move(*source));
  }
  return sources;
}

std::vector<LogSource> find_old_sources(ClusterClient& client, const std::string& id) {
  std::vector<LogSource> found;
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  std::size_t looked_at = 0;
  for (const char* status : {"ACTIVE", "INACTIVE"}) {
    shapes::ecs::ListTaskDefinitionsRequest request;
    request.status = status;
    request.sort = "DESC";
    do {
      auto page = client.call<shapes::ecs::ListTaskDefinitionsResponse>("ListTaskDefinitions", request);
      for (const std::string& arn : page.taskDefinitionArns.value_or(std::vector<std::string>())) {
        if (++looked_at > kMaxDefinitions) return found;
        for (const ContainerDefinition& container : containers_of(client, arn)) {
          const auto source = source_of(container, id);
          if (!source || source->stream.empty()) continue;
          if (!seen.emplace(source->group, source->region, source->stream).second) continue;
          if (SourceReader(client.profile(), *source, 1).exists()) found.push_back(*source);
        }
      }
      request.nextToken = page.nextToken;
    } while (request.nextToken);
  }
  return found;
}

void read_sources(const client::Profile& profile, const std::vector<LogSource>& sources, const SourceReading& reading,
                  const std::function<bool(LogLine)>& each) {
  std::vector<std::unique_ptr<SourceReader>> readers;
  for (const LogSource& source : sources) {
    readers.push_back(std::make_unique<SourceReader>(profile, source, reading.tail));
  }
  for (;;) {
    // Before reading: the lines of an ended task are complete.
    const bool ended = reading.has_ended();
    for (const auto& reader : readers) {
      if (!reader->read(each)) return;
    }
    if (ended) return;
    std::this_thread::sleep_for(kFollowEvery);
  }
}

}  // namespace cli
