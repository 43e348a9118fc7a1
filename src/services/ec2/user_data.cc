// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/user_data.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <charconv>
#include <optional>

#include "base/bytes.h"

namespace services::ec2 {
namespace {

using shapes::stoker::AgentSettings;

constexpr std::size_t kMaxConfig = 64 * 1024;
constexpr int kMaxReservedMib = 1 << 30;

// "a=b" in quotes, as systemd's EnvironmentFile allows.
std::string_view without_quotes(std::string_view value) {
  value = base::trim(value);
  const bool quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.front() == value.back();
  return quoted ? value.substr(1, value.size() - 2) : value;
}

// {"key": "value"}; empty for anything else.
std::map<std::string, std::string> parse_texts(const std::string& text) {
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(text, error);
  std::map<std::string, std::string> texts;
  if (error || !value.is_object()) return texts;
  for (const auto& [name, member] : value.get_object()) {
    if (member.is_string()) texts[std::string(name)] = std::string(member.get_string());
  }
  return texts;
}

// "30s", "1h30m": Go's durations, as the agent reads them.
bool is_duration(std::string_view text) {
  if (text.empty()) return false;
  while (!text.empty()) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string_view rest = text.substr(digits);
    const std::size_t unit = rest.starts_with("ms") ? 2 : rest.empty() || std::string_view("hms").find(rest[0]) == std::string_view::npos ? 0 : 1;
    if (digits == 0 || unit == 0) return false;
    text.remove_prefix(digits + unit);
  }
  return true;
}

std::optional<std::string> find_setting(const std::map<std::string, std::string>& config, const std::string& name) {
  const auto found = config.find(name);
  if (found == config.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

detail::ConfigFile run_user_data(std::string_view user_data) {
  detail::ConfigFile file;
  std::string compact(user_data);
  std::erase_if(compact, [](char c) { return c == '\n' || c == '\r'; });
  const auto decoded = base::from_base64(compact);
  detail::run_document(decoded && !decoded->empty() ? std::string_view(*decoded) : user_data, file, 0);
  return file;
}

}  // namespace

bool detail::ConfigFile::spend(std::size_t bytes) {
  if (bytes > work_left) return false;
  work_left -= bytes;
  return true;
}

void detail::ConfigFile::append(std::string_view text) {
  if (content.size() + text.size() > kMaxConfig) return;
  content += text;
}

void detail::ConfigFile::replace(std::string_view text) {
  content.clear();
  append(text);
}

void detail::run_document(std::string_view text, ConfigFile& file, int depth) {
  if (depth > kMaxDepth || !file.spend(text.size())) return;
  while (!text.empty() && (text.front() == '\n' || text.front() == '\r' || text.front() == ' ')) text.remove_prefix(1);
  const auto mentions = [&](std::string_view words) { return text.find(words) != text.npos; };
  if (mentions("--default-runtime nvidia") || mentions("--default-runtime=nvidia") ||
      mentions("\"default-runtime\": \"nvidia\"") || mentions("\"default-runtime\":\"nvidia\"")) {
    file.gpu_default_runtime = true;
  }
  if (is_mime(text)) {
    run_mime(text, file, depth);
  } else if (text.starts_with("#cloud-config")) {
    run_cloud_config(text, file, depth);
  } else if (text.starts_with("#!") || text.starts_with("#cloud-boothook")) {
    run_shell(text, file, depth);
  }
}

std::string written_agent_config(std::string_view user_data) { return run_user_data(user_data).content; }

std::map<std::string, std::string> parse_agent_config(std::string_view config) {
  std::map<std::string, std::string> settings;
  while (!config.empty()) {
    const std::size_t end = std::min(config.find('\n'), config.size());
    std::string_view line = config.substr(0, end);
    config.remove_prefix(std::min(config.size(), end + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = base::trim(line);
    const std::size_t equals = line.find('=');
    if (line.starts_with('#') || equals == line.npos || equals == 0) continue;
    settings[std::string(base::trim(line.substr(0, equals)))] = without_quotes(line.substr(equals + 1));
  }
  return settings;
}

AgentSettings read_user_data(std::string_view user_data) {
  const detail::ConfigFile file = run_user_data(user_data);
  const auto config = parse_agent_config(file.content);
  AgentSettings settings;
  settings.cluster = find_setting(config, "ECS_CLUSTER").value_or("default");
  settings.attributes = parse_texts(find_setting(config, "ECS_INSTANCE_ATTRIBUTES").value_or("{}"));
  settings.tags = parse_texts(find_setting(config, "ECS_CONTAINER_INSTANCE_TAGS").value_or("{}"));
  if (const auto text = find_setting(config, "ECS_RESERVED_MEMORY")) {
    int mib = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), mib);
    const bool valid = error == std::errc() && end == text->data() + text->size() && mib >= 0 && mib <= kMaxReservedMib;
    if (valid) settings.reservedMemoryMib = mib;
  }
  const auto duration = [&](const char* name) {
    auto text = find_setting(config, name);
    return text && is_duration(*text) ? text : std::nullopt;
  };
  settings.stopTimeout = duration("ECS_CONTAINER_STOP_TIMEOUT");
  settings.cleanupWait = duration("ECS_ENGINE_TASK_CLEANUP_WAIT_DURATION");
  const auto image_pull = find_setting(config, "ECS_IMAGE_PULL_BEHAVIOR");
  constexpr std::string_view kPullBehaviors[] = {"default", "always", "once", "prefer-cached"};
  if (image_pull && std::ranges::find(kPullBehaviors, *image_pull) != std::end(kPullBehaviors)) {
    settings.imagePull = image_pull;
  }
  settings.gpuDefaultRuntime = file.gpu_default_runtime;
  return settings;
}

}  // namespace services::ec2
