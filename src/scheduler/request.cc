// SPDX-License-Identifier: Apache-2.0
#include "scheduler/request.h"

namespace scheduler {

std::optional<base::Error> constrain(Request& request, std::span<const model::PlacementConstraint> constraints) {
  using Type = model::PlacementConstraint::Type;
  if (constraints.size() > model::kMaxPlacementConstraints) {
    return base::Error{"there may be " + std::to_string(model::kMaxPlacementConstraints) +
                       " placement constraints at most"};
  }
  for (const model::PlacementConstraint& constraint : constraints) {
    if (constraint.type == Type::DistinctInstance) {
      if (!constraint.expression.empty()) return base::Error{"distinctInstance takes no expression"};
      request.distinct_instance = true;
      continue;
    }
    base::Result<Expression> expression = Expression::parse(constraint.expression);
    if (!expression) return base::Error{expression.error()};
    request.member_of.push_back(std::move(*expression));
  }
  return std::nullopt;
}

std::string_view text(Reason reason) {
  switch (reason) {
    case Reason::Missing: return "MISSING";
    case Reason::Inactive: return "INACTIVE";
    case Reason::Agent: return "AGENT";
    case Reason::Attribute: return "ATTRIBUTE";
    case Reason::Cpu: return "RESOURCE:CPU";
    case Reason::Memory: return "RESOURCE:MEMORY";
    case Reason::Ports: return "RESOURCE:PORTS";
    case Reason::Gpu: return "RESOURCE:GPU";
    case Reason::DistinctInstance: return "DistinctInstance placement constraint unsatisfied.";
    case Reason::MemberOf: return "MemberOf placement constraint unsatisfied.";
  }
  return "";
}

const Failure* closest(const Refusal& refusal) {
  const Failure* best = nullptr;
  for (const Failure& failure : refusal.failures) {
    if (!best || failure.reason > best->reason) best = &failure;
  }
  return best;
}

}  // namespace scheduler
