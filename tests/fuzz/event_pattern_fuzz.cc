// SPDX-License-Identifier: Apache-2.0
// EventBridge's patterns, paths and templates: the first line is the pattern or template, the rest the event.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "base/check.h"
#include "services/events/pattern.h"
#include "services/events/target_input.h"

using namespace services::events;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = std::min(text.find('\n'), size);
  const std::string first = text.substr(0, line);
  boost::system::error_code error;
  Event event;
  event.text = text.substr(std::min(line + 1, size));
  event.value = boost::json::parse(event.text, error);
  if (error || !event.value.is_object()) {
    event.text = "{}";
    event.value = boost::json::object();
  }
  if (const auto pattern = parse_pattern(first)) {
    matches(*pattern, event.value);
    matches(*pattern, boost::json::parse(first));
  }
  if (const auto path = parse_path(first)) find_path(event.value, *path);
  CHECK(matches_wildcard("*", first)) << "a lone wildcard matches everything";
  matches_wildcard(first, event.text);
  shapes::events::Target target;
  target.InputTransformer.emplace();
  target.InputTransformer->InputPathsMap = std::map<std::string, std::string>{{"a", first}, {"b", "$.detail"}};
  target.InputTransformer->InputTemplate = event.text;
  if (input_problem(target).empty()) make_input(target, event, {"arn", "name", "time"});
  return 0;
}
