// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/definitions/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/duration.h"
#include "webhooks/url.h"
#include "wire/error.h"

namespace services::pipelines {
namespace {

using shapes::stoker::PipelineSpec;

// The longest default bucket name, "stoker-<name>-<account>", has 63 characters; a queue's name has 80.
constexpr std::size_t kMaxName = 40;
constexpr std::size_t kMaxCommand = 8192, kMaxVariables = 100, kMaxVariable = 32768, kMaxLanguages = 20;
constexpr int kMaxWorkers = 1000, kMaxBatch = 1000, kMaxRetries = 99, kMaxItemsPerTask = 100'000;
constexpr int kMaxGpus = 64, kMaxMegabytes = 16 << 20, kMaxCpu = 1 << 20;
constexpr int kBuiltinCpu = 1024, kUsualCpu = 256;
constexpr char kDefaultBuiltin[] = "ocr";
constexpr int kMaxRetentionDays = 3650;
constexpr base::Duration kMaxLinger = std::chrono::minutes(1);
constexpr base::Duration kLeastTimeout = std::chrono::seconds(1);
// A message can't be in flight for longer than 12 hours.
constexpr base::Duration kMaxTimeout = std::chrono::hours(11);
constexpr base::Duration kLeastIdle = std::chrono::seconds(1), kMaxIdle = std::chrono::hours(12);

// All problems of a spec, for one error.
class Problems {
 public:
  void add(std::string text) { all_.push_back(std::move(text)); }
  void throw_any() const {
    if (all_.empty()) return;
    std::string text;
    for (const std::string& one : all_) text += (text.empty() ? "" : "; ") + one;
    throw wire::ApiError("ValidationException", "The pipeline's spec is invalid: " + text);
  }

 private:
  std::vector<std::string> all_;
};

bool is_name_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

void check_name(const std::string& name, Problems& problems) {
  const bool valid = !name.empty() && name.size() <= kMaxName && std::ranges::all_of(name, is_name_character) &&
                     name.front() != '-' && name.back() != '-';
  if (valid) return;
  problems.add(fmt::format("name '{}' must have 1 to {} lower-case letters, digits and inner hyphens", name, kMaxName));
}

struct Range {
  int least, most;
};

int checked_number(const char* name, const std::optional<std::int32_t>& value, int fallback, Range range,
                   Problems& problems) {
  const int number = value.value_or(fallback);
  if (number < range.least || number > range.most) {
    problems.add(fmt::format("{} is {}, but must be {} to {}", name, number, range.least, range.most));
  }
  return number;
}

struct DurationRange {
  base::Duration least, most;
};

base::Duration checked_duration(const char* name, const std::optional<std::string>& text, base::Duration fallback,
                                DurationRange range, Problems& problems) {
  if (!text) return fallback;
  const auto duration = base::parse_duration(*text);
  if (!duration) {
    problems.add(fmt::format("{} '{}' is not a duration: use 20ms, 90s, 5m, 2h or 1d", name, *text));
    return fallback;
  }
  if (*duration < range.least || *duration > range.most) {
    problems.add(fmt::format("{} is {}, but must be {} to {}", name, *text, flag_text(range.least),
                             flag_text(range.most)));
  }
  return *duration;
}

void check_text(const char* name, const std::string& text, std::size_t most, Problems& problems) {
  if (text.empty()) problems.add(fmt::format("{} is empty", name));
  if (text.size() > most) problems.add(fmt::format("{} is longer than {} bytes", name, most));
  if (text.find('\0') != text.npos) problems.add(fmt::format("{} contains a NUL character", name));
}

void check_processor(const PipelineSpec& spec, Settings& settings, Problems& problems) {
  const int given = spec.builtin.has_value() + spec.exec.has_value() + spec.serve.has_value();
  if (given > 1) problems.add("it has several processors: set only one of builtin, exec and serve");
  if (given == 0 && spec.image) problems.add("its image has no processor: set one of exec and serve");
  if (spec.builtin && *spec.builtin != "ocr") {
    problems.add(fmt::format("builtin '{}' is unknown: there is only ocr", *spec.builtin));
  }
  if ((spec.exec || spec.serve) && !spec.image) problems.add("exec and serve need an image");
  if (spec.exec) check_text("exec", *spec.exec, kMaxCommand, problems);
  if (spec.serve) check_text("serve", *spec.serve, kMaxCommand, problems);
  if (spec.image) check_text("image", *spec.image, 255, problems);
  settings.builtin = spec.builtin.value_or(given == 0 ? kDefaultBuiltin : "");
  settings.image = spec.image.value_or("");
  settings.exec = spec.exec.value_or("");
  settings.serve = spec.serve.value_or("");
  settings.languages = spec.languages.value_or(std::vector<std::string>());
  if (spec.languages && settings.builtin.empty()) problems.add("languages is only for builtin: ocr");
  if (settings.languages.size() > kMaxLanguages) problems.add("languages has more than 20 entries");
  for (const std::string& language : settings.languages) {
    const bool valid = !language.empty() && language.size() <= 32 && std::ranges::all_of(language, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (!valid) problems.add(fmt::format("language '{}' is invalid: use Tesseract's names, like eng", language));
  }
}

void check_environment(const PipelineSpec& spec, Settings& settings, Problems& problems) {
  if (!spec.environment) return;
  if (spec.environment->size() > kMaxVariables) problems.add("environment has more than 100 variables");
  for (const auto& [name, value] : *spec.environment) {
    const bool valid = !name.empty() && name.size() <= 255 && name.find('=') == name.npos && name.find('\0') == name.npos;
    if (!valid) problems.add(fmt::format("environment has the invalid name '{}'", name));
    if (value.size() > kMaxVariable || value.find('\0') != value.npos) {
      problems.add(fmt::format("environment: the value of {} is too long or contains NUL", name));
    }
  }
  settings.environment = *spec.environment;
}

void check_size(const PipelineSpec& spec, Settings& settings, Problems& problems) {
  if (spec.gpus && spec.gpu_memory) problems.add("gpus and gpu_memory exclude each other: whole GPUs, or a share of one");
  settings.gpus = checked_number("gpus", spec.gpus, 0, {0, kMaxGpus}, problems);
  if (spec.gpu_memory) {
    settings.gpu_memory_mib = checked_number("gpu_memory", spec.gpu_memory, 0, {1, kMaxMegabytes}, problems);
  }
  settings.cpu_units =
      checked_number("cpu", spec.cpu, settings.builtin.empty() ? kUsualCpu : kBuiltinCpu, {0, kMaxCpu}, problems);
  // Docker's least memory limit.
  if (spec.memory) settings.memory_mib = checked_number("memory", spec.memory, 0, {6, kMaxMegabytes}, problems);
  settings.min = checked_number("min", spec.min, 0, {0, kMaxWorkers}, problems);
  settings.max = checked_number("max", spec.max, std::max(1, settings.min), {1, kMaxWorkers}, problems);
  if (settings.min > settings.max) {
    problems.add(fmt::format("min is {}, which is more than max, {}", settings.min, settings.max));
  }
}

void check_work(const PipelineSpec& spec, Settings& settings, Problems& problems) {
  settings.batch = checked_number("batch", spec.batch, 1, {1, kMaxBatch}, problems);
  settings.items_per_task = checked_number("items_per_task", spec.items_per_task, std::max(1, settings.batch) * 4,
                                           {1, kMaxItemsPerTask}, problems);
  settings.retries = checked_number("retries", spec.retries, 2, {0, kMaxRetries}, problems);
  settings.linger = checked_duration("linger", spec.linger, std::chrono::milliseconds(settings.batch > 1 ? 20 : 0),
                                     {base::Duration(0), kMaxLinger}, problems);
  settings.timeout =
      checked_duration("timeout", spec.timeout, std::chrono::minutes(5), {kLeastTimeout, kMaxTimeout}, problems);
  settings.idle = checked_duration("idle", spec.idle, std::chrono::seconds(60), {kLeastIdle, kMaxIdle}, problems);
}

void check_data(const PipelineSpec& spec, Settings& settings, Problems& problems) {
  settings.webhook = spec.webhook.value_or("");
  if (spec.webhook && (spec.webhook->size() > webhooks::kMaxUrl || !webhooks::parse_url(*spec.webhook))) {
    problems.add(fmt::format("webhook '{}' is not an http or https URL without user, password and fragment",
                             *spec.webhook));
  }
  settings.bucket = spec.bucket.value_or("");
  if (spec.bucket && spec.bucket->empty()) problems.add("bucket is empty");
  if (!spec.retention) return;
  constexpr base::Duration kDay = std::chrono::hours(24);
  const auto retention = base::parse_duration(*spec.retention);
  if (!retention || *retention < kDay || *retention % kDay != base::Duration(0) ||
      *retention > kDay * kMaxRetentionDays) {
    problems.add(fmt::format("retention '{}' is not a number of days: use 30d; the longest is {}d", *spec.retention,
                             kMaxRetentionDays));
    return;
  }
  settings.retention_days = static_cast<int>(*retention / kDay);
}

}  // namespace

std::string flag_text(base::Duration duration) {
  constexpr std::pair<std::int64_t, const char*> kUnits[] = {{3'600'000, "h"}, {60'000, "m"}, {1000, "s"}};
  const std::int64_t millis = duration.count();
  for (const auto& [length, unit] : kUnits) {
    if (millis >= length && millis % length == 0) return std::to_string(millis / length) + unit;
  }
  return std::to_string(millis) + "ms";
}

Settings check_spec(const PipelineSpec& spec) {
  Settings settings;
  Problems problems;
  settings.name = spec.name;
  check_name(spec.name, problems);
  settings.cluster = spec.cluster.value_or("default");
  const bool valid_cluster =
      !settings.cluster.empty() && settings.cluster.size() <= 255 && std::ranges::all_of(settings.cluster, [](char c) {
        return is_name_character(c) || (c >= 'A' && c <= 'Z') || c == '_';
      });
  if (!valid_cluster) problems.add(fmt::format("cluster '{}' is not a cluster's name", settings.cluster));
  check_processor(spec, settings, problems);
  check_environment(spec, settings, problems);
  check_size(spec, settings, problems);
  check_work(spec, settings, problems);
  check_data(spec, settings, problems);
  problems.throw_any();
  return settings;
}

}  // namespace services::pipelines
