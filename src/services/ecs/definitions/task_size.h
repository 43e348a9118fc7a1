// SPDX-License-Identifier: Apache-2.0
// The size of a whole task: "256" or ".25 vCPU", "512" or "0.5 GB".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace services::ecs {

// CPU units and MiB; nullopt unless it is a number, with or without its unit.
std::optional<std::int32_t> parse_cpu(std::string_view text);
std::optional<std::int32_t> parse_memory(std::string_view text);

// Whether Fargate has tasks of that size.
bool fargate_has(std::int32_t cpu, std::int32_t memory);

}  // namespace services::ecs
