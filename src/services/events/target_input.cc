// SPDX-License-Identifier: Apache-2.0
#include "services/events/target_input.h"

#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <charconv>
#include <functional>

#include "wire/json.h"

namespace services::events {
namespace {

namespace json = boost::json;
using shapes::events::InputTransformer;
using shapes::events::Target;

using Paths = std::map<std::string, std::string>;

bool is_predefined(std::string_view name) {
  return name == "aws.events.rule-arn" || name == "aws.events.rule-name" || name == "aws.events.event" ||
         name == "aws.events.event.json" || name == "aws.events.event.ingestion-time";
}

bool is_variable_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

// Calls `literal` and `variable` for the parts of a template, in order. `variable` also learns whether it is
// inside of a quoted string.
void walk_template(std::string_view text, const std::function<void(std::string_view)>& literal,
                   const std::function<void(std::string_view name, bool quoted)>& variable) {
  bool quoted = false;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && quoted) {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (text[i] == '<') {
      std::size_t end = i + 1;
      while (end < text.size() && is_variable_character(text[end])) ++end;
      if (end == text.size() || text[end] != '>' || end == i + 1) continue;
      literal(text.substr(start, i - start));
      variable(text.substr(i + 1, end - i - 1), quoted);
      i = end;
      start = end + 1;
    }
  }
  if (start < text.size()) literal(text.substr(start));
}

// Inside of quotes a string stands without its own.
std::string inserted(const json::value& value, bool quoted) {
  if (quoted && value.is_string()) return std::string(value.get_string());
  return to_text(value);
}

std::string predefined(std::string_view name, const Event& event, const MatchedRule& rule, bool quoted) {
  if (name == "aws.events.event.json") return event.text;
  if (name == "aws.events.event") {
    json::object without_detail = event.value.get_object();
    without_detail.erase("detail");
    return to_text(without_detail);
  }
  const std::string& text = name == "aws.events.rule-arn"    ? rule.arn
                            : name == "aws.events.rule-name" ? rule.name
                                                             : rule.ingestion_time;
  return inserted(json::value(text), quoted);
}

std::string transform(const InputTransformer& transformer, const Event& event, const MatchedRule& rule) {
  const Paths paths = transformer.InputPathsMap.value_or(Paths());
  std::string out;
  auto literal = [&](std::string_view text) { out += text; };
  auto variable = [&](std::string_view name, bool quoted) {
    const auto path = paths.find(std::string(name));
    if (path == paths.end()) {
      out += predefined(name, event, rule, quoted);
    } else if (const json::value* found = find_path(event.value, *parse_path(path->second))) {
      out += inserted(*found, quoted);
    }  // a variable without a value is left out, as at Amazon
  };
  walk_template(transformer.InputTemplate, literal, variable);
  return out;
}

std::string transformer_problem(const InputTransformer& transformer) {
  const Paths paths = transformer.InputPathsMap.value_or(Paths());
  for (const auto& [name, path] : paths) {
    if (name.starts_with("AWS.")) return "InputPathsMap keys must not start with AWS.";
    if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != name.npos) {
      return "Invalid key in InputPathsMap: " + name;
    }
    if (!parse_path(path)) return "Invalid path in InputPathsMap: " + path;
  }
  std::string unknown;
  walk_template(
      transformer.InputTemplate, [](std::string_view) {},
      [&](std::string_view name, bool) {
        if (!paths.contains(std::string(name)) && !is_predefined(name)) unknown = name;
      });
  return unknown.empty() ? "" : "InputTemplate has a placeholder that InputPathsMap does not define: <" + unknown + ">";
}

// A quoted name or a number between brackets; advances `rest` behind them.
std::optional<PathStep> read_bracket(std::string_view& rest) {
  const std::size_t end = rest.find(']');
  if (end == rest.npos) return std::nullopt;
  std::string_view inside = rest.substr(1, end - 1);
  rest.remove_prefix(end + 1);
  if (inside.size() > 2 && (inside.front() == '\'' || inside.front() == '"')) {
    if (inside.back() != inside.front()) return std::nullopt;
    return PathStep{std::string(inside.substr(1, inside.size() - 2))};
  }
  std::size_t index = 0;
  const auto [stop, error] = std::from_chars(inside.data(), inside.data() + inside.size(), index);
  if (inside.empty() || error != std::errc() || stop != inside.data() + inside.size()) return std::nullopt;
  return PathStep{"", index};
}

}  // namespace

std::optional<std::vector<PathStep>> parse_path(std::string_view path) {
  if (!path.starts_with('$')) return std::nullopt;
  path.remove_prefix(1);
  std::vector<PathStep> steps;
  while (!path.empty()) {
    if (path.front() == '[') {
      auto step = read_bracket(path);
      if (!step) return std::nullopt;
      steps.push_back(std::move(*step));
      continue;
    }
    if (path.front() != '.') return std::nullopt;
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    if (end == 0) return std::nullopt;
    steps.push_back({std::string(path.substr(0, end))});
    path.remove_prefix(end);
  }
  return steps;
}

const json::value* find_path(const json::value& event, const std::vector<PathStep>& path) {
  const json::value* value = &event;
  for (const PathStep& step : path) {
    if (step.index) {
      const json::array* elements = value->if_array();
      value = elements && *step.index < elements->size() ? &(*elements)[*step.index] : nullptr;
    } else {
      const json::object* members = value->if_object();
      value = members ? members->if_contains(step.member) : nullptr;
    }
    if (!value) return nullptr;
  }
  return value;
}

std::string to_text(const json::value& value) {
  std::string out;
  switch (value.kind()) {
    case json::kind::null: return "null";
    case json::kind::bool_: return value.get_bool() ? "true" : "false";
    case json::kind::int64: return std::to_string(value.get_int64());
    case json::kind::uint64: return std::to_string(value.get_uint64());
    case json::kind::double_: return fmt::format("{}", value.get_double());
    case json::kind::string: wire::write_json_string(std::string_view(value.get_string().data(), value.get_string().size()), out); return out;
    case json::kind::array:
      for (const json::value& element : value.get_array()) out += (out.empty() ? "" : ",") + to_text(element);
      return "[" + out + "]";
    case json::kind::object:
      for (const auto& [key, member] : value.get_object()) {
        if (!out.empty()) out += ',';
        wire::write_json_string(std::string_view(key.data(), key.size()), out);
        out += ':' + to_text(member);
      }
      return "{" + out + "}";
  }
  return out;
}

std::string input_problem(const Target& target) {
  if (target.Input.has_value() + target.InputPath.has_value() + target.InputTransformer.has_value() > 1) {
    return "Only one of Input, InputPath, or InputTransformer must be provided for target " + target.Id + ".";
  }
  boost::system::error_code error;
  if (target.Input) json::parse(*target.Input, error);
  if (error) return "JSON syntax error in input for target " + target.Id + ".";
  if (target.InputPath && !parse_path(*target.InputPath)) return "Parameter InputPath is not valid.";
  if (!target.InputTransformer) return "";
  const std::string problem = transformer_problem(*target.InputTransformer);
  return problem.empty() ? "" : "Invalid InputTransformer for target " + target.Id + ": " + problem + ".";
}

std::string make_input(const Target& target, const Event& event, const MatchedRule& rule) {
  if (target.Input) return *target.Input;
  if (target.InputTransformer) return transform(*target.InputTransformer, event, rule);
  if (!target.InputPath || *target.InputPath == "$") return event.text;
  const json::value* found = find_path(event.value, *parse_path(*target.InputPath));
  return found ? to_text(*found) : "null";
}

}  // namespace services::events
