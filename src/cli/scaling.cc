// SPDX-License-Identifier: Apache-2.0
// stoker scaling
#include <algorithm>
#include <map>
#include <ostream>

#include "cli/json.h"
#include "cli/scaling_client.h"
#include "cli/scaling_events.h"
#include "cli/table.h"
#include "cli/terminal_text.h"

namespace cli {
namespace {

// A change of many machines has as many activities.
constexpr std::size_t kMaxActivities = 1000;

struct PrintedEvents {
  std::vector<ScalingEvent> events;
};
BOOST_DESCRIBE_STRUCT(PrintedEvents, (), (events))

// "web" is a service of the cluster; "blue/web" names its cluster.
std::string resource_of(const Options& options, const std::string& service) {
  const bool named = service.find('/') != service.npos;
  return "service/" + (named ? service : options.cluster + "/" + service);
}

std::vector<ScalingEvent> read_events(ScalingClient& client, const Options& options, const ScalingArguments& given) {
  std::vector<ScalingEvent> events;
  if (given.group && !given.service) client.find_group(*given.group);
  if (!given.service) events = events_of_groups(client.group_activities(given.group.value_or(""), kMaxActivities));
  if (!given.group) {
    const std::string resource = given.service ? resource_of(options, *given.service) : "";
    for (ScalingEvent& event : events_of_services(client.service_activities(resource, kMaxActivities))) {
      events.push_back(std::move(event));
    }
  }
  std::ranges::stable_sort(events, std::ranges::greater(), &ScalingEvent::time);
  if (events.size() > given.most) events.resize(given.most);
  return events;
}

void add_metric_values(ScalingClient& client, std::vector<ScalingEvent>& events) {
  std::map<std::string, std::vector<shapes::cloudwatch::AlarmHistoryItem>> changes;  // by alarm
  for (ScalingEvent& event : events) {
    if (!event.alarm) continue;
    auto [found, added] = changes.try_emplace(*event.alarm);
    if (added) found->second = client.state_changes(*event.alarm);
    add_metric_value(event, found->second);
  }
}

// "2026-11-18T14:03:35Z" of "2026-11-18T14:03:35.302Z".
std::string whole_seconds(const std::string& time) {
  const std::size_t dot = time.find('.');
  return dot == time.npos ? time : time.substr(0, dot) + "Z";
}

// Each with its reason below: names of policies and alarms are long.
void print_events(const std::vector<ScalingEvent>& events, std::ostream& out) {
  constexpr std::size_t kTimeWidth = 22, kReasonIndent = 4;
  std::vector<std::vector<std::string>> rows{{"TIME", "CHANGE", "TARGET"}};
  for (const ScalingEvent& event : events) rows.push_back(event_row(event));
  const std::size_t columns = text_columns(out);
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row[1].size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto& row = rows[i];
    row[0] = whole_seconds(row[0]);
    row[0].resize(kTimeWidth, ' ');
    row[1].resize(width + 2, ' ');
    out << row[0] << row[1] << shortened(terminal_text(row[2]), columns - kTimeWidth - width - 2) << '\n';
    if (i > 0) print_wrapped(out, event_reason(events[i - 1]), kReasonIndent);
  }
}

}  // namespace

int scaling(const Options& options, const ScalingArguments& given, std::ostream& out) {
  ScalingClient client(options);
  PrintedEvents printed{read_events(client, options, given)};
  add_metric_values(client, printed.events);
  if (options.json) {
    print_json(out, printed);
    return 0;
  }
  if (printed.events.empty()) {
    out << "nothing was scaled yet\n";
    return 0;
  }
  print_events(printed.events, out);
  return 0;
}

}  // namespace cli
