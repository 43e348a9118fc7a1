// SPDX-License-Identifier: Apache-2.0
// A service as one value: all that the server needs of it. control/modules.cc lists the modules.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "services/call.h"
#include "services/locals.h"
#include "services/measurement.h"
#include "services/operation.h"
#include "store/store.h"

namespace services {

// What a loop decides, on a snapshot.
struct Decision {
  // Runs in a write transaction of its own, after the snapshot is closed: it must check again what the
  // look read, and skip what has changed. Empty: there is nothing to write.
  std::function<void(Call&)> apply = {};
  // When to look again, unless the topic is woken before. Absent: only when it is woken.
  std::optional<base::Time> next = {};
};

// Background work. It sleeps until its topic is woken or its next look is due, so nothing polls.
struct Loop {
  std::string name, topic;
  // Reads a snapshot, decides, and writes nothing. Only one look or apply of a loop runs at a time.
  std::function<Decision(Call&)> look;
};

// A value that /metrics reads when it is requested.
struct Gauge {
  std::string name, help;                      // "stoker_sqs_queues"
  std::map<std::string, std::string> labels = {};
  double value = 0;
};

struct Module {
  Service service = {};  // its names and its operations
  // Operations that other services may invoke and no client can.
  std::vector<Operation> internal_operations = {};
  store::Migrations migrations = {};  // of its tables; no steps where it has none
  // Adds what it keeps in memory: caches of the database, empty at first.
  std::function<void(Locals&)> add_memory = {};
  // Runs once, before the server listens: repairs what a crash left, and fills the memory.
  std::function<void(Call&)> recover = {};
  std::vector<Loop> loops = {};
  // Runs on a snapshot, for each request of /metrics.
  std::function<std::vector<Gauge>(Call&)> gauges = {};
  // Its metrics in CloudWatch. Runs on a snapshot, and costs in proportion to what is active, not to what exists.
  // What it counted in memory it returns once.
  std::function<Measured(Call&, const Due&)> measure = {};
};

}  // namespace services
