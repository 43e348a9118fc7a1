// SPDX-License-Identifier: Apache-2.0
// Values of options that `stoker run` shares with `docker run`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "shapes/ecs/container_definition.h"
#include "shapes/ecs/volume.h"

namespace cli {

struct RunVolume {
  shapes::ecs::Volume volume;
  shapes::ecs::MountPoint mount;
};

// "/data:/data:ro", or "cache:/cache" for a volume of the machine's engine.
base::Result<RunVolume> parse_volume(const std::string& text, std::size_t number);
// "8080:80", "80", "53:53/udp".
base::Result<shapes::ecs::PortMapping> parse_port(const std::string& text);
// "64m", "2g" as whole MiB; a plain number is in bytes, as docker's.
base::Result<std::int32_t> parse_shm_size(const std::string& text);
// "4g", "512m" as whole MiB; a plain number is in MiB, as in a task definition.
base::Result<std::int32_t> parse_memory(const std::string& text);
// "1.5" cores as CPU units, 1024 per core.
base::Result<std::int32_t> parse_cores(const std::string& text);
// Lines of K=V; # begins a comment; K alone copies the local value, if there is one. Nothing is unquoted.
base::Result<std::vector<std::string>> read_env_file(const std::string& path);

inline constexpr std::size_t kMaxEnvFile = 1024 * 1024;

}  // namespace cli
