// SPDX-License-Identifier: Apache-2.0
// Log lines on their way from an agent to a reader: requested by id, kept until they are taken.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/topics.h"
#include "base/guarded.h"
#include "model/ids.h"
#include "shapes/agent/extensions.h"

namespace doors::agents {

class LogStreams {
 public:
  explicit LogStreams(api::Topics& topics) : topics_(topics) {}

  // A stream that was requested from the agent of this instance.
  void open(const std::string& id, const model::InstanceId& instance);
  void close(const std::string& id);

  // From the agent. False: the stream is closed, its reader is too slow, or it belongs to another instance.
  bool put(const model::InstanceId& instance, shapes::agent::StokerLogLines lines);
  // The agent's session is over, and with it all of its streams.
  void end_all_of(const model::InstanceId& instance);
  // The lines that have come since the last call; the topic is woken when there are more.
  std::vector<shapes::agent::StokerLogLines> take(const std::string& id);

  static std::string topic(const std::string& id) { return "logs/" + id; }

 private:
  struct Stream {
    model::InstanceId instance;
    std::vector<shapes::agent::StokerLogLines> waiting;
    std::size_t bytes = 0;
  };

  api::Topics& topics_;
  base::Guarded<std::map<std::string, Stream>> streams_;
};

}  // namespace doors::agents
