// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/overrides.h"

#include <boost/json.hpp>

#include "wire/json.h"

namespace agent {
namespace json = boost::json;
namespace {

void set_environment(const json::value& value, std::map<std::string, std::string>& environment) {
  if (const json::object* members = value.if_object()) {
    for (const auto& [name, text] : *members) environment[name] = std::string(text.as_string());
    return;
  }
  for (const json::value& pair : value.as_array()) {
    const json::object& members = pair.as_object();
    environment[std::string(members.at("name").as_string())] = std::string(members.at("value").as_string());
  }
}

// Throws what Boost.JSON throws for a value of the wrong kind.
void apply(const json::object& overrides, shapes::agent::Container& container) {
  auto find = [&](std::string_view name) -> const json::value* {
    const json::value* value = overrides.if_contains(name);
    return value && !value->is_null() ? value : nullptr;
  };
  if (const json::value* command = find("command")) {
    std::vector<std::string> words;
    for (const json::value& word : command->as_array()) words.emplace_back(word.as_string());
    container.command = std::move(words);
  }
  if (const json::value* environment = find("environment")) set_environment(*environment, container.environment);
  if (const json::value* cpu = find("cpu")) container.cpu = cpu->to_number<std::int64_t>();
  if (const json::value* memory = find("memory")) container.memory = memory->to_number<std::int64_t>();
}

}  // namespace

base::Result<shapes::agent::Container> with_overrides(shapes::agent::Container container) {
  if (!container.overrides || container.overrides->empty()) return container;
  json::parse_options options;
  options.max_depth = wire::kMaxJsonDepth;
  try {
    const json::value parsed = json::parse(*container.overrides, {}, options);
    apply(parsed.as_object(), container);
  } catch (const std::exception& error) {
    return base::Error{"CannotCreateContainerError: invalid overrides of container " + container.name + ": " +
                       error.what()};
  }
  return container;
}

}  // namespace agent
