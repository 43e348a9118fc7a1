// SPDX-License-Identifier: Apache-2.0
#include "cli/run_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "base/bytes.h"

namespace cli {
namespace {

using namespace shapes::ecs;

constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int64_t kLeastMemoryMiB = 4, kMostMiB = 1 << 24;
constexpr double kCpuUnitsPerCore = 1024, kMostUnits = 1 << 24;
constexpr int kMaxPort = 65535;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

// A size with the unit b, k, m or g, in whole MiB, rounded up. A number without a unit counts `plain` bytes.
std::optional<std::int64_t> whole_mib(const std::string& text, std::int64_t plain) {
  std::string digits = base::to_lower(text);
  const bool bytes = digits.ends_with('b') && digits.size() > 1;  // "64mb"
  if (bytes) digits.pop_back();
  std::int64_t unit = bytes ? 1 : plain;
  const std::size_t power = digits.empty() ? std::string_view::npos : std::string_view("kmg").find(digits.back());
  if (power != std::string_view::npos) {
    unit = 1;
    for (std::size_t i = 0; i <= power; ++i) unit *= 1024;
    digits.pop_back();
  }
  const auto number = whole_number<std::int64_t>(digits);
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  if (!number || *number < 1 || *number > kMost / unit) return std::nullopt;
  return (*number * unit + kMiB - 1) / kMiB;
}

bool is_volume_name(const std::string& text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == text.npos;
}

}  // namespace

base::Result<RunVolume> parse_volume(const std::string& text, std::size_t number) {
  const std::vector<std::string> parts = split(text, ':');
  const std::string mode = parts.size() == 3 ? parts[2] : "rw";
  const bool valid = (parts.size() == 2 || parts.size() == 3) && parts[1].starts_with('/') && (mode == "ro" || mode == "rw");
  if (!valid) return base::Error{"-v " + text + ": use SOURCE:/PATH[:ro], the source a path of the machine or a volume's name"};
  RunVolume out;
  if (parts[0].starts_with('/')) {
    out.volume.name = "v" + std::to_string(number);
    out.volume.host = HostVolumeProperties{parts[0]};
  } else if (is_volume_name(parts[0])) {
    out.volume.name = parts[0];
    out.volume.dockerVolumeConfiguration = DockerVolumeConfiguration{.scope = "shared", .autoprovision = true};
  } else {
    return base::Error{"-v " + text + ": the source is a path of the machine that runs the task, so it begins with /"};
  }
  out.mount = {out.volume.name, parts[1], mode == "ro" ? std::optional(true) : std::nullopt};
  return out;
}

base::Result<PortMapping> parse_port(const std::string& text) {
  std::string ports = text;
  PortMapping mapping;
  if (const std::size_t slash = text.find('/'); slash != text.npos) {
    mapping.protocol = text.substr(slash + 1);
    ports = text.substr(0, slash);
    if (mapping.protocol != "tcp" && mapping.protocol != "udp") return base::Error{"-p " + text + ": the protocol is tcp or udp"};
  }
  const std::vector<std::string> parts = split(ports, ':');
  if (parts.size() > 2) return base::Error{"-p " + text + ": an address of the machine cannot be chosen; use [HOST:]CONTAINER"};
  const auto container = whole_number<int>(parts.back());
  const auto host = parts.size() == 2 ? whole_number<int>(parts[0]) : std::optional(0);
  const bool valid = container && *container >= 1 && *container <= kMaxPort && host && *host >= 0 && *host <= kMaxPort;
  if (!valid) return base::Error{"-p " + text + ": use [HOST:]CONTAINER[/udp] with ports of 1 to 65535; without HOST it is a free one"};
  mapping.containerPort = *container;
  if (*host > 0) mapping.hostPort = *host;
  return mapping;
}

base::Result<std::int32_t> parse_shm_size(const std::string& text) {
  const auto mib = whole_mib(text, 1);
  if (!mib) return base::Error{"--shm-size " + text + ": use a size such as 64m or 2g"};
  if (*mib > kMostMiB) return base::Error{"--shm-size " + text + " is too large"};
  return static_cast<std::int32_t>(*mib);
}

base::Result<std::int32_t> parse_memory(const std::string& text) {
  const auto mib = whole_mib(text, kMiB);
  if (!mib) return base::Error{"--memory " + text + ": use a number of MiB, or a size such as 512m or 4g"};
  if (*mib < kLeastMemoryMiB || *mib > kMostMiB) return base::Error{"--memory " + text + " is not between 4 MiB and 16 TiB"};
  return static_cast<std::int32_t>(*mib);
}

base::Result<std::int32_t> parse_cores(const std::string& text) {
  double cores = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), cores, std::chars_format::fixed);
  const bool number = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  const double units = std::round(cores * kCpuUnitsPerCore);
  if (!number || !(units >= 1 && units <= kMostUnits)) return base::Error{"--cpus " + text + ": use a number of cores such as 2 or 0.5"};
  return static_cast<std::int32_t>(units);
}

base::Result<std::vector<std::string>> read_env_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return base::Error{"--env-file " + path + " cannot be read"};
  std::vector<std::string> variables;
  std::size_t number = 0, bytes = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    bytes += line.size() + 1;
    if (bytes > kMaxEnvFile) return base::Error{"--env-file " + path + " is larger than 1 MiB"};
    if (line.ends_with('\r')) line.pop_back();
    line.erase(0, line.find_first_not_of(" \t"));
    if (line.empty() || line.front() == '#') continue;
    const std::size_t equals = line.find('=');
    const std::string name = line.substr(0, equals);
    if (name.empty() || name.find_first_of(" \t") != name.npos || line.find('\0') != line.npos) {
      return base::Error{"--env-file " + path + ", line " + std::to_string(number) + ": expected K=V"};
    }
    if (equals != line.npos) {
      variables.push_back(line);
    } else if (const char* value = std::getenv(name.c_str())) {
      variables.push_back(name + "=" + value);
    }
  }
  return variables;
}

}  // namespace cli
