// SPDX-License-Identifier: Apache-2.0
// The options of the log driver awslogs. The agent implements them; see agent/logs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "services/ecs/definitions/check_task.h"
#include "services/ecs/errors.h"

namespace services::ecs {
namespace {

using Options = std::map<std::string, std::string>;

constexpr std::array<std::string_view, 10> kAwslogsOptions = {
    "awslogs-create-group", "awslogs-datetime-format", "awslogs-force-flush-interval-seconds",
    "awslogs-format",       "awslogs-group",           "awslogs-multiline-pattern",
    "awslogs-region",       "awslogs-stream-prefix",   "max-buffer-size",
    "mode"};

// Options of Docker's driver that Stoker does not support, and why.
struct Unsupported {
  std::string_view option, why;
};
constexpr std::array<Unsupported, 5> kUnsupportedOptions = {{
    {"awslogs-endpoint", "logs go to the server of the machine"},
    {"awslogs-credentials-endpoint", "logs are written as the task's execution role"},
    {"awslogs-create-stream", "the stream is always created"},
    {"awslogs-max-buffered-events", "the buffer is a file; see max-buffer-size"},
    {"tag", "the stream has the task's name"},
}};

const std::string* option_of(const Options& options, const char* name) {
  const auto found = options.find(name);
  return found == options.end() ? nullptr : &found->second;
}

void check_option_names(const Options& options) {
  std::vector<std::string_view> unknown;
  for (const auto& [name, value] : options) {
    for (const Unsupported& one : kUnsupportedOptions) {
      if (one.option == name) throw unsupported(fmt::format("The log option {}", name), one.why);
    }
    if (std::find(kAwslogsOptions.begin(), kAwslogsOptions.end(), name) == kAwslogsOptions.end()) {
      unknown.push_back(name);
    }
  }
  if (!unknown.empty()) {
    throw client_error(fmt::format("Log driver awslogs disallows options: {}", fmt::join(unknown, ", ")));
  }
}

[[noreturn]] void refuse_option(std::string_view name, const std::string& value, std::string_view rule) {
  throw client_error(fmt::format("Invalid value '{}' of log option {}: {}", value, name, rule));
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// Docker's units: "10m", "512k", "1g", "10mb", "4096".
bool is_size(std::string_view text) {
  if (text.ends_with('b') || text.ends_with('B')) text.remove_suffix(1);
  if (!text.empty() && std::string_view("kKmMgG").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  return is_digits(text) && text.size() <= 10 && text.find_first_not_of('0') != text.npos;
}

bool is_boolean(std::string_view text) {
  constexpr std::array<std::string_view, 12> kBooleans = {"1", "t", "T", "true",  "TRUE",  "True",
                                                          "0", "f", "F", "false", "FALSE", "False"};
  return std::find(kBooleans.begin(), kBooleans.end(), text) != kBooleans.end();
}

void check_values(const Options& options) {
  const std::string* mode = option_of(options, "mode");
  if (mode && *mode != "blocking" && *mode != "non-blocking") {
    refuse_option("mode", *mode, "it must be 'blocking' or 'non-blocking'.");
  }
  if (const std::string* size = option_of(options, "max-buffer-size")) {
    if (!is_size(*size)) refuse_option("max-buffer-size", *size, "it must be a size such as 10m.");
    if (mode && *mode == "blocking") {
      throw client_error("The log option max-buffer-size is only supported with mode=non-blocking.");
    }
  }
  if (const std::string* create = option_of(options, "awslogs-create-group")) {
    if (!is_boolean(*create)) refuse_option("awslogs-create-group", *create, "it must be 'true' or 'false'.");
  }
  if (const std::string* format = option_of(options, "awslogs-format")) {
    if (*format != "json/emf") refuse_option("awslogs-format", *format, "it must be 'json/emf'.");
  }
  if (const std::string* seconds = option_of(options, "awslogs-force-flush-interval-seconds")) {
    const bool positive = is_digits(*seconds) && seconds->size() <= 6 && seconds->find_first_not_of('0') != seconds->npos;
    if (!positive) refuse_option("awslogs-force-flush-interval-seconds", *seconds, "it must be a positive integer.");
  }
}

}  // namespace

void check_awslogs(const shapes::ecs::LogConfiguration& log) {
  const Options options = log.options.value_or(Options());
  std::vector<std::string_view> missing;
  for (const char* name : {"awslogs-region", "awslogs-group"}) {
    const std::string* value = option_of(options, name);
    if (!value || value->empty()) missing.push_back(name);
  }
  if (!missing.empty()) {
    throw client_error(fmt::format("Log driver awslogs requires options: {}", fmt::join(missing, ", ")));
  }
  check_option_names(options);
  // Docker's words.
  if (option_of(options, "awslogs-datetime-format") && option_of(options, "awslogs-multiline-pattern")) {
    throw client_error(
        "you cannot configure log opt 'awslogs-datetime-format' and 'awslogs-multiline-pattern' at the same time");
  }
  check_values(options);
}

}  // namespace services::ecs
