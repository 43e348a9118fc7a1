// SPDX-License-Identifier: Apache-2.0
// Row numbers of the cluster tables. Each has a type of its own, so that none is taken for another.
#pragma once

#include <cstdint>
#include <type_traits>

#include "store/store.h"

namespace state {

enum class ClusterNumber : std::int64_t {};
enum class DefinitionNumber : std::int64_t {};
enum class LaunchNumber : std::int64_t {};
enum class ServiceNumber : std::int64_t {};
enum class DeploymentNumber : std::int64_t {};

template <class Number>
requires std::is_enum_v<Number> store::Param to_param(Number number) { return static_cast<std::int64_t>(number); }

}  // namespace state
