// SPDX-License-Identifier: Apache-2.0
// Placement constraints and strategies as clients write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace model {

// Amazon's limits for a task or service.
inline constexpr std::size_t kMaxPlacementConstraints = 10;
inline constexpr std::size_t kMaxPlacementStrategies = 5;

struct PlacementConstraint {
  enum class Type { DistinctInstance, MemberOf };
  Type type = Type::MemberOf;
  std::string expression;  // MemberOf's
};

struct PlacementStrategy {
  // BinpackGpu is ours: Amazon packs by cpu and memory only.
  enum class Type { Random, SpreadInstance, SpreadAttribute, BinpackCpu, BinpackMemory, BinpackGpu };
  Type type = Type::Random;
  std::string attribute;  // SpreadAttribute's: "ecs.availability-zone"
  bool operator==(const PlacementStrategy&) const = default;
};

std::optional<PlacementConstraint::Type> constraint_type(std::string_view text);

// From RunTask's `type` and `field`: ("spread", "attribute:rack").
base::Result<PlacementStrategy> parse_strategy(std::string_view type, std::string_view field);

}  // namespace model
