// SPDX-License-Identifier: Apache-2.0
// Test support: services, their tasks and the plans for them in words, so that a case fits in a few lines.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/reconcile.h"

namespace scheduler::test {

inline constexpr base::Time kNow = base::from_seconds(1'700'000'000);

struct ServiceCase {
  std::string name;
  // Desired count and bounds, then any of: daemon grace=S breaker count=N sums alarms rollback bake=S target rebalance
  // blocked=N zones=ab. "4 100/200 breaker rollback target"
  std::string service;
  // The PRIMARY one first: its number, then any of: completed failed alarmed retired resolving failures=N earlier=N
  // ago=S.
  // "2 failures=3 ago=5"
  std::vector<std::string> deployments;
  // Named t01, t02, ... in their order: deployment and pending, running or stopping, then any of: unknown healthy
  // unhealthy targets=initial|healthy|unhealthy leaving started=S (ago, 100 if absent) protected=S zone=a on=m1.
  // "3x 1 running" stands for three.
  std::vector<std::string> tasks;
  // Of actions and of what else the plan has; see text_of_plan.
  std::string plan;
  // Of a daemon: a name, then any of: suitable leaving others excluded.
  std::vector<std::string> machines = {};
};

inline std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// "grace=5" is {"grace", "5"}.
inline std::pair<std::string, std::string> split_word(const std::string& word) {
  const std::size_t at = word.find('=');
  if (at == std::string::npos) return {word, ""};
  return {word.substr(0, at), word.substr(at + 1)};
}

inline void set_rule(ServiceView& view, const std::string& word) {
  const auto [key, value] = split_word(word);
  ServiceRules& rules = view.rules;
  if (key == "daemon") rules.daemon = true;
  if (key == "grace") rules.grace = std::chrono::seconds(std::stoi(value));
  if (key == "breaker") rules.breaker = true;
  if (key == "count") rules.breaker_at = {FailureThreshold::Kind::Count, std::stoi(value)};
  if (key == "sums") rules.breaker_sums = true;
  if (key == "rollback") rules.breaker_rollback = true;
  if (key == "alarms") rules.alarm_rollback = true;
  if (key == "bake") rules.bake = std::chrono::seconds(std::stoi(value));
  if (key == "target") view.can_roll_back = true;
  if (key == "rebalance") rules.rebalance_zones = true;
  if (key == "blocked") view.blocked = std::stoi(value);
  if (key == "zones") {
    for (char zone : value) view.zones.emplace_back(1, zone);
  }
}

inline ServiceDeployment deployment_of(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  ServiceDeployment made{.number = std::stoi(words.at(0)), .created_at = kNow - std::chrono::hours(1)};
  for (const std::string& word : words) {
    const auto [key, value] = split_word(word);
    if (key == "completed") made.completed = true;
    if (key == "failed") made.failed = true;
    if (key == "alarmed") made.alarmed = true;
    if (key == "retired") made.retired = true;
    if (key == "resolving") made.resolving = true;
    if (key == "failures") made.failed_tasks = std::stoi(value);
    if (key == "earlier") made.earlier_failures = std::stoi(value);
    if (key == "ago") made.last_failure = kNow - std::chrono::seconds(std::stoi(value));
  }
  return made;
}

inline ServiceTask task_of(const std::vector<std::string>& words) {
  ServiceTask made{.id = {}, .deployment = std::stoi(words.at(0))};
  int started = 100;
  for (const std::string& word : words) {
    const auto [key, value] = split_word(word);
    if (key == "running" || key == "stopping") made.running = true;
    if (key == "stopping") made.stopping = true;
    if (key == "unknown") made.health = TaskHealth::Unknown;
    if (key == "healthy") made.health = TaskHealth::Healthy;
    if (key == "unhealthy") made.health = TaskHealth::Unhealthy;
    if (key == "targets") {
      made.targets = value == "healthy"   ? TargetHealth::Healthy
                     : value == "initial" ? TargetHealth::Initial
                                          : TargetHealth::Unhealthy;
    }
    if (key == "leaving") made.leaving = true;
    if (key == "started") started = std::stoi(value);
    if (key == "protected") made.protected_until = kNow + std::chrono::seconds(std::stoi(value));
    if (key == "zone") made.zone = value;
    if (key == "on") made.machine = model::InstanceId(value);
  }
  if (made.running) made.started_at = kNow - std::chrono::seconds(started);
  made.created_at = kNow - std::chrono::seconds(started + 1);
  return made;
}

inline DaemonMachine machine_of(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  DaemonMachine made{.id = model::InstanceId(words.at(0))};
  for (const std::string& word : words) {
    if (word == "suitable") made.suitable = true;
    if (word == "leaving") made.leaving = true;
    if (word == "others") made.other_tasks = true;
    if (word == "excluded") made.excluded = true;
  }
  return made;
}

inline ServiceView view_of(const ServiceCase& one) {
  ServiceView view;
  const std::vector<std::string> words = words_of(one.service);
  view.rules.desired = std::stoi(words.at(0));
  view.rules.minimum_percent = std::stoi(words.at(1));
  view.rules.maximum_percent = std::stoi(words.at(1).substr(words.at(1).find('/') + 1));
  for (const std::string& word : words) set_rule(view, word);
  for (const std::string& text : one.deployments) view.deployments.push_back(deployment_of(text));
  view.deployments.at(0).primary = true;
  for (const std::string& text : one.tasks) {
    std::vector<std::string> parts = words_of(text);
    int times = 1;
    if (parts.at(0).back() == 'x') {
      times = std::stoi(parts[0]);
      parts.erase(parts.begin());
    }
    for (; times > 0; --times) {
      view.tasks.push_back(task_of(parts));
      const std::string number = std::to_string(view.tasks.size());
      view.tasks.back().id = model::TaskId("t" + std::string(number.size() < 2 ? "0" : "") + number);
    }
  }
  for (const std::string& text : one.machines) view.machines.push_back(machine_of(text));
  return view;
}

inline std::string text_of_start(const ServiceStart& start) {
  std::string text = "start " + std::to_string(start.count) + " of " + std::to_string(start.deployment);
  if (start.machine) text += " on " + start.machine->str();
  if (start.zone) text += " in " + *start.zone;
  if (start.replaced_unhealthy > 0) text += " for " + std::to_string(start.replaced_unhealthy) + " unhealthy";
  return text;
}

inline std::string text_of_verdict(const ServicePlan& plan) {
  static constexpr const char* kVerdicts[] = {"", "completed", "breaker failed", "alarm failed"};
  return std::string(kVerdicts[static_cast<int>(plan.verdict)]) + (plan.roll_back ? ", roll back" : "");
}

// "start 2 of 7, stop t01 scale-in, completed, next 5": actions first; the seconds from now until `next`.
inline std::string text_of_plan(const ServicePlan& plan) {
  static constexpr const char* kCauses[] = {"scale-in", "pending",     "unhealthy",
                                            "draining", "rebalancing", "unsuitable"};
  std::vector<std::string> parts;
  for (const ServiceStart& start : plan.starts) parts.push_back(text_of_start(start));
  for (const ServiceStop& stop : plan.stops) {
    parts.push_back("stop " + stop.task.str() + " " + kCauses[static_cast<int>(stop.cause)]);
  }
  if (plan.desired) parts.push_back("desired " + std::to_string(*plan.desired));
  for (std::int64_t number : plan.retired) parts.push_back("retire " + std::to_string(number));
  if (plan.verdict != Verdict::None) parts.push_back(text_of_verdict(plan));
  if (plan.healthy_again) parts.emplace_back("healthy again");
  if (plan.steady) parts.emplace_back("steady");
  if (plan.throttled) parts.emplace_back("throttled");
  if (plan.stuck) parts.emplace_back("stuck");
  if (plan.protected_tasks > 0) parts.push_back("protected " + std::to_string(plan.protected_tasks));
  if (plan.next) {
    parts.push_back("next " +
                    std::to_string(std::chrono::duration_cast<std::chrono::seconds>(*plan.next - kNow).count()));
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

inline void expect_plans(const std::vector<ServiceCase>& cases) {
  for (const ServiceCase& one : cases) {
    EXPECT_EQ(text_of_plan(reconcile(view_of(one), kNow)), one.plan) << one.name;
  }
}

}  // namespace scheduler::test
