// SPDX-License-Identifier: Apache-2.0
#include "agent/logs/awslogs_options.h"

#include <re2/re2.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <charconv>
#include <map>

#include "agent/logs/datetime_format.h"

namespace agent::logs {
namespace {

namespace json = boost::json;
using Options = std::map<std::string, std::string>;

// The options; nothing where the driver is not awslogs.
std::optional<Options> read_options(const shapes::agent::Container& container) {
  boost::system::error_code error;
  const json::value host = json::parse(container.dockerConfig.hostConfig.value_or("{}"), error);
  const json::value* log = !error && host.is_object() ? host.get_object().if_contains("LogConfig") : nullptr;
  if (!log || !log->is_object()) return std::nullopt;
  const json::value* type = log->get_object().if_contains("Type");
  if (!type || !type->is_string() || type->get_string() != "awslogs") return std::nullopt;
  Options options;
  const json::value* config = log->get_object().if_contains("Config");
  if (!config || !config->is_object()) return options;
  for (const auto& [name, value] : config->get_object()) {
    if (value.is_string()) options[name] = std::string(value.get_string());
  }
  return options;
}

bool is_true(const std::string& text) {
  return text == "1" || text == "t" || text == "T" || text == "true" || text == "TRUE" || text == "True";
}

// Docker's words for a pattern that is invalid.
base::Result<std::string> event_start_of(const Options& options) {
  const auto format = options.find("awslogs-datetime-format");
  const auto pattern = options.find("awslogs-multiline-pattern");
  std::string start;
  if (pattern != options.end()) start = pattern->second;
  if (format != options.end()) start = datetime_pattern(format->second);
  if (start.empty()) return start;
  const RE2 compiled(start, RE2::Quiet);
  if (compiled.ok()) return start;
  return base::Error{"awslogs could not parse multiline pattern key \"" + start +
                     "\": error parsing regexp: " + compiled.error()};
}

}  // namespace

std::optional<std::int64_t> parse_size(std::string_view text) {
  if (text.ends_with('b') || text.ends_with('B')) text.remove_suffix(1);
  std::int64_t unit = 1;
  if (!text.empty()) {
    switch (text.back()) {
      case 'k': case 'K': unit = 1 << 10; break;
      case 'm': case 'M': unit = 1 << 20; break;
      case 'g': case 'G': unit = 1 << 30; break;
      default: break;
    }
    if (unit > 1) text.remove_suffix(1);
  }
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  if (!whole || number <= 0 || number > (std::int64_t(1) << 40) / unit) return std::nullopt;
  return number * unit;
}

std::optional<base::Result<AwslogsOptions>> awslogs_options(const shapes::agent::Container& container) {
  const std::optional<Options> given = read_options(container);
  if (!given) return std::nullopt;
  auto value = [&](const char* name) {
    const auto found = given->find(name);
    return found == given->end() ? std::string() : found->second;
  };
  AwslogsOptions options;
  options.group = value("awslogs-group");
  options.region = value("awslogs-region");
  options.stream = value("awslogs-stream");
  options.create_group = is_true(value("awslogs-create-group"));
  options.blocking = value("mode") == "blocking";
  if (options.group.empty()) return base::Error{"must specify a value for log opt 'awslogs-group'"};
  if (options.region.empty()) return base::Error{"awslogs-region is required"};
  if (const auto size = parse_size(value("max-buffer-size")); size && !options.blocking) {
    options.max_unsent_bytes = std::min(*size, kMaxUnsentBytes);
  }
  int seconds = 0;
  const std::string interval = value("awslogs-force-flush-interval-seconds");
  std::from_chars(interval.data(), interval.data() + interval.size(), seconds);
  if (seconds > 0) options.flush_interval = std::chrono::seconds(seconds);
  base::Result<std::string> start = event_start_of(*given);
  if (!start) return base::Error{start.error()};
  options.event_start = *start;
  return options;
}

}  // namespace agent::logs
