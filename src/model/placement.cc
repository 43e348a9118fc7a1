// SPDX-License-Identifier: Apache-2.0
#include "model/placement.h"

#include "base/bytes.h"

namespace model {
namespace {

constexpr std::string_view kAttributePrefix = "attribute:";

}  // namespace

std::optional<PlacementConstraint::Type> constraint_type(std::string_view text) {
  if (text == "distinctInstance") return PlacementConstraint::Type::DistinctInstance;
  if (text == "memberOf") return PlacementConstraint::Type::MemberOf;
  return std::nullopt;
}

base::Result<PlacementStrategy> parse_strategy(std::string_view type, std::string_view field) {
  using Type = PlacementStrategy::Type;
  if (type == "random") return PlacementStrategy{Type::Random};
  if (type == "binpack") {
    // Clients also write "CPU" and "MEMORY", which Amazon accepts.
    if (base::equals_ignoring_case(field, "cpu")) return PlacementStrategy{Type::BinpackCpu};
    if (base::equals_ignoring_case(field, "memory")) return PlacementStrategy{Type::BinpackMemory};
    if (base::equals_ignoring_case(field, "gpu")) return PlacementStrategy{Type::BinpackGpu};
    return base::Error{"binpack takes the fields cpu, memory and gpu, not '" + std::string(field) + "'"};
  }
  if (type == "spread") {
    if (base::equals_ignoring_case(field, "instanceId") || field == "host") {
      return PlacementStrategy{Type::SpreadInstance};
    }
    if (field.starts_with(kAttributePrefix) && field.size() > kAttributePrefix.size()) {
      return PlacementStrategy{Type::SpreadAttribute, std::string(field.substr(kAttributePrefix.size()))};
    }
    return base::Error{"spread takes the fields instanceId, host and attribute:<name>, not '" + std::string(field) +
                       "'"};
  }
  return base::Error{"no such placement strategy: '" + std::string(type) + "'"};
}

}  // namespace model
