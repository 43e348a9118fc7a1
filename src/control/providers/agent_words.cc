// SPDX-License-Identifier: Apache-2.0
#include "control/providers/agent_words.h"

#include <algorithm>
#include <charconv>

#include "base/words.h"

namespace control::providers {
namespace {

constexpr std::int64_t kCpuUnitsPerVcpu = 1024;
constexpr double kLongestSeconds = 3650.0 * 86400;

std::optional<double> unit_seconds(std::string_view unit) {
  if (unit == "ns") return 1e-9;
  if (unit == "us" || unit == "µs") return 1e-6;
  if (unit == "ms") return 1e-3;
  if (unit == "s") return 1;
  if (unit == "m") return 60;
  if (unit == "h") return 3600;
  return std::nullopt;
}

void add_duration(std::vector<std::string>& words, const char* option, const std::optional<std::string>& text) {
  const auto seconds = text ? parse_agent_duration(*text) : std::nullopt;
  if (!seconds) return;
  words.push_back(option);
  words.push_back(std::to_string(seconds->count()) + "s");
}

}  // namespace

std::optional<std::chrono::seconds> parse_agent_duration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  double total = 0;
  while (!text.empty()) {
    double count = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), count, std::chars_format::fixed);
    if (parsed.ec != std::errc() || !(count >= 0)) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
    const std::string_view unit = text.substr(0, std::min(text.find_first_of("0123456789."), text.size()));
    const auto seconds = unit_seconds(unit);
    if (!seconds) return std::nullopt;
    total += count * *seconds;
    text.remove_prefix(unit.size());
  }
  if (!(total >= 1) || total > kLongestSeconds) return std::nullopt;
  return std::chrono::seconds(static_cast<std::int64_t>(total));
}

std::vector<std::string> agent_words(const Machine& machine, const AgentPlace& place) {
  const shapes::stoker::AgentSettings settings = read_settings(machine.instance.agent_json);
  const std::int64_t memory = std::max<std::int64_t>(machine.record.memoryMib - settings.reservedMemoryMib.value_or(0), 1);
  std::vector<std::string> words{"agent",
                                 "--join", place.join,
                                 "--data", place.data,
                                 "--name", machine.instance.id,
                                 "--cluster", settings.cluster,
                                 "--region", machine.instance.region,
                                 "--instance-type", machine.instance.type,
                                 "--availability-zone", machine.instance.zone,
                                 "--cpu", std::to_string(machine.record.vcpus * kCpuUnitsPerVcpu),
                                 "--memory", std::to_string(memory),
                                 "--driver", place.driver,
                                 "--metrics-listen", "none",
                                 "--ephemeral",
                                 "--shutdown-timeout", std::to_string(place.shutdown_timeout.count()) + "s"};
  if (!place.gpus.empty()) words.insert(words.end(), {"--gpus", place.gpus});
  if (!place.ca_file.empty()) words.insert(words.end(), {"--ca", place.ca_file});
  if (settings.gpuDefaultRuntime) words.push_back("--gpu-default-runtime");
  add_duration(words, "--stop-timeout", settings.stopTimeout);
  add_duration(words, "--keep-stopped", settings.cleanupWait);
  if (settings.imagePull) words.insert(words.end(), {"--image-pull", *settings.imagePull});
  for (const auto& [name, value] : settings.attributes) words.insert(words.end(), {"--attribute", name + "=" + value});
  for (const auto& [key, value] : settings.tags) words.insert(words.end(), {"--tag", key + "=" + value});
  return words;
}

std::string shell_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + base::shell_word(word);
  return text;
}

}  // namespace control::providers
