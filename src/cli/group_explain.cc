// SPDX-License-Identifier: Apache-2.0
// stoker explain group|policy
#include <ostream>

#include "cli/group_explanation.h"
#include "cli/json.h"
#include "cli/scaling_client.h"
#include "cli/scaling_events.h"
#include "cli/scaling_policy.h"
#include "cli/terminal_text.h"
#include "wire/timestamp.h"

namespace cli {
namespace {

constexpr std::size_t kReadActivities = 100;

struct PrintedSentences {
  std::vector<std::string> sentences;
};
BOOST_DESCRIBE_STRUCT(PrintedSentences, (), (sentences))

void print_sentences(const Options& options, const PrintedSentences& printed, std::ostream& out) {
  if (options.json) return print_json(out, printed);
  for (const std::string& sentence : printed.sentences) out << terminal_text(sentence) << '\n';
}

GroupFacts read_group_facts(ScalingClient& client, const std::string& name) {
  return {client.find_group(name), client.group_waits(name), client.group_activities(name, kReadActivities)};
}

template <class Alarm>
std::vector<std::string> alarm_names(const std::optional<std::vector<Alarm>>& alarms) {
  std::vector<std::string> names;
  for (const Alarm& alarm : alarms.value_or(std::vector<Alarm>())) {
    names.push_back(std::optional<std::string>(alarm.AlarmName).value_or(""));
  }
  return names;
}

// "Alarm backlog is ALARM since T: the last value is 12, the condition > 0 for 1 period of 10 s."
void explain_alarms(ScalingClient& client, const std::vector<std::string>& names, base::Time now,
                    std::vector<std::string>& out) {
  if (names.empty()) return out.push_back("No alarm triggers it.");
  for (const auto& alarm : client.alarms(names)) {
    const auto value = client.last_value(alarm, now);
    std::string text = "Alarm " + alarm.AlarmName.value_or("") + " is " + alarm.StateValue.value_or("");
    if (alarm.StateUpdatedTimestamp) text += " since " + wire::to_iso8601(*alarm.StateUpdatedTimestamp);
    text += value ? ": the last value is " + number_text(*value) : std::string(": its metric has no recent value");
    text += ", the condition " + alarm_condition(alarm) + ".";
    if (!alarm.ActionsEnabled.value_or(true)) text += " Its actions are disabled.";
    out.push_back(std::move(text));
  }
}

void append_sentences(std::vector<std::string>& all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

int explain_group(const Options& options, const std::string& group, std::ostream& out) {
  ScalingClient client(options);
  print_sentences(options, {group_sentences(read_group_facts(client, group), base::SystemClock().now())}, out);
  return 0;
}

int explain_policy(const Options& options, const std::string& name, std::ostream& out) {
  ScalingClient client(options);
  const base::Time now = base::SystemClock().now();
  PrintedSentences printed;
  for (const auto& policy : client.group_policies("", name)) {
    const std::string group = policy.AutoScalingGroupName.value_or("");
    printed.sentences.push_back(name + " of group " + group + " " + policy_rule(policy) + ".");
    explain_alarms(client, alarm_names(policy.Alarms), now, printed.sentences);
    append_sentences(printed.sentences, next_action(policy, read_group_facts(client, group), now));
  }
  for (const auto& policy : client.service_policies(name)) {
    printed.sentences.push_back(name + " of " + policy.ResourceId + " " + policy_rule(policy) + ".");
    explain_alarms(client, alarm_names(policy.Alarms), now, printed.sentences);
    const TargetFacts facts{client.find_target(policy.ResourceId), client.service_activities(policy.ResourceId, 1)};
    append_sentences(printed.sentences, next_action(policy, facts, now));
  }
  if (printed.sentences.empty()) throw std::runtime_error("no such policy: " + name);
  print_sentences(options, printed, out);
  return 0;
}

}  // namespace cli
