// SPDX-License-Identifier: Apache-2.0
#include "scheduler/expression.h"

#include <algorithm>
#include <charconv>

#include "scheduler/expression_pattern.h"

namespace scheduler {
namespace {

std::optional<double> as_number(std::string_view text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class T>
int order(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

int compare_attributes(std::string_view a, std::string_view b) {
  auto x = as_number(a), y = as_number(b);
  return x && y ? order(*x, *y) : order(a, b);
}

bool ordered(Operator op, int comparison) {
  switch (op) {
    case Operator::Equals: return comparison == 0;
    case Operator::Greater: return comparison > 0;
    case Operator::GreaterEqual: return comparison >= 0;
    case Operator::Less: return comparison < 0;
    case Operator::LessEqual: return comparison <= 0;
    default: return false;
  }
}

bool text_matches(const Test& test, std::string_view value) {
  switch (test.op) {
    case Operator::Equals: return value == test.arguments[0];
    case Operator::Exists: return true;
    case Operator::In: return std::ranges::find(test.arguments, value) != test.arguments.end();
    case Operator::Matches: return RE2::FullMatch(value, test.pattern->regex);
    default: return ordered(test.op, compare_attributes(value, test.arguments[0]));
  }
}

bool attribute_matches(const Test& test, const model::Attributes& attributes) {
  auto found = attributes.find(test.attribute);
  if (found == attributes.end()) return false;
  if (test.op == Operator::Exists) return true;
  return found->second && text_matches(test, *found->second);
}

bool version_matches(const Test& test, std::string_view version) {
  if (version.empty()) return false;
  if (test.op == Operator::Exists) return true;
  return ordered(test.op, compare_versions(version, test.arguments[0]));
}

bool number_matches(const Test& test, std::int64_t value) {
  return test.op == Operator::Exists || ordered(test.op, order(value, test.number));
}

template <std::string model::TaskHold::*Label>
bool any_task_matches(const Test& test, std::span<const model::TaskHold> tasks) {
  return std::ranges::any_of(tasks, [&](const model::TaskHold& task) {
    return !task.stopping && !(task.*Label).empty() && text_matches(test, task.*Label);
  });
}

bool holds_unnegated(const Test& test, const model::Instance& instance, std::span<const model::TaskHold> tasks) {
  switch (test.subject) {
    case Subject::AgentConnected: return text_matches(test, instance.agent_connected ? "true" : "false");
    case Subject::AgentVersion: return version_matches(test, instance.agent_version);
    case Subject::Attribute: return attribute_matches(test, instance.attributes);
    case Subject::Ec2InstanceId:
      return !instance.ec2_instance_id.empty() && text_matches(test, instance.ec2_instance_id);
    case Subject::RegisteredAt: return number_matches(test, base::to_seconds(instance.registered_at));
    case Subject::RunningTasksCount:
      return number_matches(test, std::ranges::count(tasks, true, &model::TaskHold::running));
    case Subject::TaskGroup: return any_task_matches<&model::TaskHold::group>(test, tasks);
    case Subject::TaskStartedBy: return any_task_matches<&model::TaskHold::started_by>(test, tasks);
  }
  return false;
}

std::string_view next_part(std::string_view& version) {
  std::size_t dot = version.find('.');
  std::string_view part = version.substr(0, dot);
  version.remove_prefix(dot == std::string_view::npos ? version.size() : dot + 1);
  return part;
}

}  // namespace

int compare_versions(std::string_view a, std::string_view b) {
  if (a.starts_with('v')) a.remove_prefix(1);
  if (b.starts_with('v')) b.remove_prefix(1);
  while (!a.empty() || !b.empty()) {
    std::string_view x = next_part(a), y = next_part(b);
    if (x.empty()) x = "0";
    if (y.empty()) y = "0";
    if (int comparison = compare_attributes(x, y)) return comparison;
  }
  return 0;
}

bool Expression::matches(const model::Instance& instance, std::span<const model::TaskHold> tasks) const {
  return holds(root_, instance, tasks);
}

// The parser limits the depth to kMaxExpressionDepth.
bool Expression::holds(std::size_t index, const model::Instance& instance,
                       std::span<const model::TaskHold> tasks) const {
  const Node& node = nodes_[index];
  auto child_holds = [&](std::size_t child) { return holds(child, instance, tasks); };
  switch (node.kind) {
    case Node::Kind::Test: {
      const Test& test = tests_[node.test];
      return holds_unnegated(test, instance, tasks) != test.negated;
    }
    case Node::Kind::Not: return !child_holds(node.children[0]);
    case Node::Kind::And: return std::ranges::all_of(node.children, child_holds);
    case Node::Kind::Or: return std::ranges::any_of(node.children, child_holds);
  }
  return false;
}

}  // namespace scheduler
