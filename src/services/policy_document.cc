// SPDX-License-Identifier: Apache-2.0
#include "services/policy_document.h"

#include <boost/json.hpp>

#include "wire/repeated_members.h"

namespace services::policy {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxDepth = 32;

std::string text_of(const json::string& text) { return {text.data(), text.size()}; }
std::string text_of(const json::string_view text) { return {text.data(), text.size()}; }

// A scalar as text, so that true and 5 equal "true" and "5"; nullopt for anything else.
std::optional<std::string> scalar(const json::value& value) {
  if (value.is_string()) return text_of(value.get_string());
  if (value.is_bool()) return value.get_bool() ? "true" : "false";
  if (value.is_number()) return json::serialize(value);
  return std::nullopt;
}

// A scalar or a list of scalars; nullopt for anything else.
std::optional<std::vector<std::string>> scalars(const json::value& value) {
  std::vector<std::string> out;
  if (auto one = scalar(value)) return std::vector<std::string>{*one};
  if (!value.is_array()) return std::nullopt;
  for (const json::value& item : value.get_array()) {
    auto one = scalar(item);
    if (!one) return std::nullopt;
    out.push_back(std::move(*one));
  }
  return out;
}

Principals read_principals(const json::value& value, bool negated) {
  Principals out{.given = true, .negated = negated};
  if (value.is_string() && value.get_string() == "*") {
    out.everybody = true;
    return out;
  }
  if (!value.is_object()) {
    out.other_kinds.push_back(json::serialize(value));
    return out;
  }
  for (const auto& member : value.get_object()) {
    const std::string kind = text_of(member.key());
    auto values = scalars(member.value());
    std::vector<std::string>* into = kind == "AWS"             ? &out.accounts
                                     : kind == "CanonicalUser" ? &out.canonical_users
                                     : kind == "Service"       ? &out.services
                                                               : nullptr;
    if (!into || !values) {
      out.other_kinds.push_back(kind);
      continue;
    }
    for (std::string& one : *values) {
      if (into == &out.accounts && one == "*") {
        out.everybody = true;
      } else {
        into->push_back(std::move(one));
      }
    }
  }
  return out;
}

void read_conditions(const json::value& value, std::vector<Condition>& out) {
  if (!value.is_object()) {
    out.push_back({.readable = false});
    return;
  }
  for (const auto& op : value.get_object()) {
    const std::string name = text_of(op.key());
    if (!op.value().is_object()) {
      out.push_back({.name = name, .readable = false});
      continue;
    }
    for (const auto& key : op.value().get_object()) {
      auto values = scalars(key.value());
      Condition condition{.name = name, .key = text_of(key.key()), .readable = values.has_value()};
      if (values) condition.values = std::move(*values);
      out.push_back(std::move(condition));
    }
  }
}

Statement read_statement(const json::object& object) {
  Statement out;
  for (const auto& member : object) {
    const std::string name = text_of(member.key());
    const json::value& value = member.value();
    if (name == "Effect") {
      out.effect = scalar(value).value_or("");
    } else if (name == "Principal" || name == "NotPrincipal") {
      if (out.principals.given) out.again.push_back(name);
      out.principals = read_principals(value, name == "NotPrincipal");
    } else if (name == "Action" || name == "NotAction") {
      if (out.actions.given) out.again.push_back(name);
      out.actions = {true, name == "NotAction", scalars(value).value_or(std::vector<std::string>())};
    } else if (name == "Resource" || name == "NotResource") {
      if (out.resources.given) out.again.push_back(name);
      out.resources = {true, name == "NotResource", scalars(value).value_or(std::vector<std::string>())};
    } else if (name == "Condition") {
      read_conditions(value, out.conditions);
    } else if (name != "Sid") {
      out.unknown.push_back(name);
    }
  }
  return out;
}

void read_statements(const json::value& value, Document& out) {
  if (value.is_object()) {
    out.has_statements = true;
    out.statements.push_back(read_statement(value.get_object()));
  }
  if (!value.is_array()) return;
  out.has_statements = true;
  for (const json::value& statement : value.get_array()) {
    if (!statement.is_object()) out.has_statements = false;
    if (statement.is_object()) out.statements.push_back(read_statement(statement.get_object()));
  }
}

}  // namespace

std::optional<Document> parse(std::string_view text) {
  json::error_code error;
  json::parse_options options;
  options.max_depth = kMaxDepth;
  const json::value parsed = json::parse({text.data(), text.size()}, error, {}, options);
  if (error || !parsed.is_object() || wire::has_repeated_members(text)) return std::nullopt;
  Document out;
  for (const auto& member : parsed.get_object()) {
    const std::string name = text_of(member.key());
    if (name == "Version") {
      out.version = scalar(member.value()).value_or("");
    } else if (name == "Statement") {
      read_statements(member.value(), out);
    } else if (name != "Id") {
      out.unknown.push_back(name);
    }
  }
  return out;
}

}  // namespace services::policy
