// SPDX-License-Identifier: Apache-2.0
// What a target receives of an event: all of it, a part (InputPath), a constant (Input) or a text made from parts
// (InputTransformer). Pure.
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapes/events/target.h"

namespace services::events {

// An event of a bus: its JSON, and the same parsed.
struct Event {
  std::string text;
  boost::json::value value;
};

// The rule that matched, for the predefined variables of a template.
struct MatchedRule {
  std::string arn, name;
  std::string ingestion_time;  // ISO 8601
};

// "$.detail.containers[0]['exitCode']": the members and indexes on the way; nullopt for an invalid path.
struct PathStep {
  std::string member;
  std::optional<std::size_t> index = {};
};
std::optional<std::vector<PathStep>> parse_path(std::string_view path);
// nullptr where the event has no such value.
const boost::json::value* find_path(const boost::json::value& event, const std::vector<PathStep>& path);

// Compact JSON, with numbers as people write them: 0.5, not 5E-1.
std::string to_text(const boost::json::value& value);

// Why the input settings of a target are invalid; "" for valid ones.
std::string input_problem(const shapes::events::Target& target);

// The text for a target whose settings are valid.
std::string make_input(const shapes::events::Target& target, const Event& event, const MatchedRule& rule);

}  // namespace services::events
