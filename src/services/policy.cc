// SPDX-License-Identifier: Apache-2.0
#include "services/policy.h"

#include <boost/json.hpp>
#include <functional>

#include "base/bytes.h"

namespace services::policy {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxDepth = 32;

json::value parse(std::string_view text, json::error_code& error) {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  return json::parse({text.data(), text.size()}, error, {}, options);
}

// A string, or any of a list of them.
bool any_of(const json::value& value, const std::function<bool(std::string_view)>& fits) {
  auto text = [](const json::string& s) { return std::string_view(s.data(), s.size()); };
  if (value.is_string()) return fits(text(value.get_string()));
  if (!value.is_array()) return false;
  for (const json::value& item : value.get_array()) {
    if (item.is_string() && fits(text(item.get_string()))) return true;
    if (item.is_bool() && fits(item.get_bool() ? "true" : "false")) return true;
  }
  return false;
}

bool principal_fits(const json::value& principal, const Question& question) {
  if (principal.is_string()) return principal.get_string() == "*";
  if (!principal.is_object()) return false;
  auto is_account = [&](std::string_view text) {
    if (text == "*") return true;
    if (question.principal_account.empty()) return false;
    return text == question.principal_account || text == "arn:aws:iam::" + question.principal_account + ":root";
  };
  auto is_service = [&](std::string_view text) {
    return !question.principal_service.empty() && (text == "*" || text == question.principal_service);
  };
  const json::object& object = principal.get_object();
  const json::value* accounts = object.if_contains("AWS");
  const json::value* services = object.if_contains("Service");
  return (accounts && any_of(*accounts, is_account)) || (services && any_of(*services, is_service));
}

struct Operator {
  bool negated = false, wildcards = false, ignores_case = false;
};

const std::map<std::string_view, Operator> kOperators = {
    {"StringEquals", {}},
    {"StringNotEquals", {.negated = true}},
    {"StringEqualsIgnoreCase", {.ignores_case = true}},
    {"StringNotEqualsIgnoreCase", {.negated = true, .ignores_case = true}},
    {"StringLike", {.wildcards = true}},
    {"StringNotLike", {.negated = true, .wildcards = true}},
    {"ArnEquals", {.wildcards = true}},
    {"ArnLike", {.wildcards = true}},
    {"ArnNotEquals", {.negated = true, .wildcards = true}},
    {"ArnNotLike", {.negated = true, .wildcards = true}},
    {"Bool", {.ignores_case = true}},
};

const std::string* find_key(const Question& question, std::string_view key) {
  for (const auto& [name, value] : question.context) {
    if (base::equals_ignoring_case(name, key)) return &value;
  }
  return nullptr;
}

bool condition_holds(std::string_view name, const json::value& keys, const Question& question, bool in_doubt) {
  const bool if_exists = name.ends_with("IfExists");
  if (if_exists) name.remove_suffix(8);
  auto known = kOperators.find(name);
  if (known == kOperators.end() || !keys.is_object()) return in_doubt;
  const Operator& op = known->second;
  for (const auto& [key, expected] : keys.get_object()) {
    const std::string* actual = find_key(question, {key.data(), key.size()});
    if (!actual) {
      if (if_exists || op.negated) continue;
      return false;
    }
    bool found = any_of(expected, [&](std::string_view text) {
      if (op.wildcards) return matches(text, *actual);
      return op.ignores_case ? base::equals_ignoring_case(text, *actual) : text == *actual;
    });
    if (expected.is_bool()) found = *actual == (expected.get_bool() ? "true" : "false");
    if (found == op.negated) return false;
  }
  return true;
}

bool statement_fits(const json::object& statement, const Question& question, bool deny) {
  auto is_action = [&](std::string_view text) {
    return matches(base::to_lower(text), base::to_lower(question.action));
  };
  auto is_resource = [&](std::string_view text) { return matches(text, question.resource); };
  auto fits = [&](const char* name, const char* negated, const auto& test) {
    if (const json::value* value = statement.if_contains(name)) return any_of(*value, test);
    if (const json::value* value = statement.if_contains(negated)) return !any_of(*value, test);
    return false;
  };
  if (const json::value* principal = statement.if_contains("Principal")) {
    if (!principal_fits(*principal, question)) return false;
  } else if (const json::value* others = statement.if_contains("NotPrincipal")) {
    if (principal_fits(*others, question)) return false;
  } else {
    return false;
  }
  if (!fits("Action", "NotAction", is_action) || !fits("Resource", "NotResource", is_resource)) return false;
  const json::value* condition = statement.if_contains("Condition");
  if (!condition) return true;
  if (!condition->is_object()) return deny;
  for (const auto& [name, keys] : condition->get_object()) {
    if (!condition_holds({name.data(), name.size()}, keys, question, deny)) return false;
  }
  return true;
}

template <class Fn>
void each_statement(const json::value& policy, Fn&& fn) {
  const json::value* statements = policy.is_object() ? policy.get_object().if_contains("Statement") : nullptr;
  if (!statements) return;
  if (statements->is_object()) fn(statements->get_object());
  if (!statements->is_array()) return;
  for (const json::value& statement : statements->get_array()) {
    if (statement.is_object()) fn(statement.get_object());
  }
}

}  // namespace

Answer evaluate(std::string_view policy, const Question& question) {
  json::error_code error;
  const json::value parsed = parse(policy, error);
  if (error) return Answer::NoMatch;
  Answer answer = Answer::NoMatch;
  each_statement(parsed, [&](const json::object& statement) {
    const json::value* effect = statement.if_contains("Effect");
    if (!effect || !effect->is_string()) return;
    const bool deny = effect->get_string() == "Deny";
    if (answer == Answer::Denied || !statement_fits(statement, question, deny)) return;
    if (deny) answer = Answer::Denied;
    if (effect->get_string() == "Allow") answer = Answer::Allowed;
  });
  return answer;
}

std::string problem(std::string_view policy) {
  json::error_code error;
  if (policy.size() > kMaxBytes) return "it is longer than 8192 bytes";
  const json::value parsed = parse(policy, error);
  if (error || !parsed.is_object()) return "it is not a JSON object";
  const json::value* statements = parsed.get_object().if_contains("Statement");
  if (!statements || !(statements->is_array() || statements->is_object())) return "it has no Statement";
  std::string found;
  if (const json::array* list = statements->if_array()) {
    if (list->size() > kMaxStatements) return "it has more than 20 statements";
    for (const json::value& statement : *list) {
      if (!statement.is_object()) return "a statement is not an object";
    }
  }
  each_statement(parsed, [&](const json::object& statement) {
    const json::value* effect = statement.if_contains("Effect");
    if (!effect || !effect->is_string() || (effect->get_string() != "Allow" && effect->get_string() != "Deny")) {
      found = "a statement's Effect must be Allow or Deny";
    } else if (!statement.contains("Principal") && !statement.contains("NotPrincipal")) {
      found = "a statement has no Principal";
    } else if (!statement.contains("Action") && !statement.contains("NotAction")) {
      found = "a statement has no Action";
    } else if (!statement.contains("Resource") && !statement.contains("NotResource")) {
      found = "a statement has no Resource";
    }
  });
  return found;
}

bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = pattern.npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++p, ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace services::policy
