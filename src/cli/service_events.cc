// SPDX-License-Identifier: Apache-2.0
// stoker service events
#include <chrono>
#include <ostream>
#include <set>
#include <thread>

#include "cli/cluster_client.h"
#include "cli/json.h"
#include "cli/names.h"
#include "cli/terminal_text.h"
#include "wire/timestamp.h"

namespace cli {
namespace {

using shapes::ecs::Service;
using shapes::ecs::ServiceEvent;

constexpr std::chrono::milliseconds kFollowEventsEvery{500};  // DescribeServices has no long poll

// "2026-11-18T02:17:51.042Z (service web) has reached a steady state."
void print_event(const Options& options, const ServiceEvent& event, std::ostream& out) {
  if (options.json) {
    print_json(out, event);
  } else {
    out << wire::to_iso8601(event.createdAt.value_or(base::Time()), true) << ' '
        << terminal_text(with_short_ids(event.message.value_or(""))) << '\n';
  }
}

}  // namespace

int service_events(const Options& options, const std::string& text, bool follow, std::ostream& out) {
  ClusterClient client(options);
  std::set<std::string> printed;  // the ids that ECS still returned last time
  for (;;) {
    const Service service = client.find_service(text);
    const auto events = service.events.value_or(std::vector<ServiceEvent>());
    std::set<std::string> returned;
    for (auto event = events.rbegin(); event != events.rend(); ++event) {
      const std::string id = event->id.value_or("");
      if (!printed.contains(id)) print_event(options, *event, out);
      returned.insert(id);
    }
    out.flush();
    if (!follow || service.status == "INACTIVE" || !out.good()) return 0;
    printed = std::move(returned);
    std::this_thread::sleep_for(kFollowEventsEvery);
  }
}

}  // namespace cli
