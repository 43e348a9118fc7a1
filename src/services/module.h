// SPDX-License-Identifier: Apache-2.0
// A service as one value: everything that the server needs to know of it. control/modules.cc lists them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "services/call.h"
#include "services/locals.h"
#include "services/operation.h"
#include "store/store.h"

namespace services {

// What a loop decided, on a snapshot.
struct Decision {
  // Runs in a write transaction of its own, after the snapshot was closed: it must check that what was
  // read still holds, and skip what does not. Empty: there is nothing to write.
  std::function<void(Call&)> apply = {};
  // When to look again, unless the topic is woken before. Absent: only then.
  std::optional<base::Time> next = {};
};

// Background work. It sleeps until its topic is woken or its next look is due, so nothing polls.
struct Loop {
  std::string name, topic;
  // Reads a snapshot, decides, and writes nothing. Only one look or apply of a loop runs at a time.
  std::function<Decision(Call&)> look;
};

// A value that /metrics shows as it is at that moment.
struct Gauge {
  std::string name, help;                      // "stoker_sqs_queues"
  std::map<std::string, std::string> labels = {};
  double value = 0;
};

struct Module {
  Service service = {};  // its names and its operations
  // Operations that other services may invoke and no client can.
  std::vector<Operation> internal_operations = {};
  store::Migrations migrations = {};  // of its tables; without steps where it has none
  // What it keeps in memory: caches of the database, empty at first.
  std::function<void(Locals&)> add_memory = {};
  // Once, before anybody is served: repairs what a crash left, and fills what add_memory added.
  std::function<void(Call&)> recover = {};
  std::vector<Loop> loops = {};
  // On a snapshot, when somebody reads /metrics.
  std::function<std::vector<Gauge>(Call&)> gauges = {};
};

}  // namespace services
