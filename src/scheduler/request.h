// SPDX-License-Identifier: Apache-2.0
// A placement request and the scheduler's decision: a plan, or a refusal with reasons.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "model/demand.h"
#include "model/ids.h"
#include "model/instance.h"
#include "model/placement.h"
#include "scheduler/expression.h"

namespace scheduler {

struct Request {
  model::TaskId task;
  std::string group, started_by;
  model::TaskDemand demand;
  bool distinct_instance = false;
  std::vector<Expression> member_of;  // all must match
  std::vector<model::PlacementStrategy> strategies;
  std::string capacity_provider = {};  // only its instances are candidates; "": all are
  std::uint64_t seed = 0;  // for the strategy `random`: the same seed, the same choice
};

// Parses constraints into a request. An error for an invalid expression or too many constraints.
std::optional<base::Error> constrain(Request& request, std::span<const model::PlacementConstraint> constraints);

// A task, its instance, and what it holds there. Nothing is reserved until a Fleet holds the plan.
struct Plan {
  model::InstanceId instance;
  std::int64_t instance_number = 0;  // its row number
  model::TaskHold hold;
};

// Why a machine does not fit, in the order of the checks. Missing is for StartTask on an absent instance.
enum class Reason { Missing, Inactive, Agent, Attribute, Cpu, Memory, Ports, Gpu, DistinctInstance, MemberOf };

// In the format of RunTask's `failures`: "RESOURCE:GPU".
std::string_view text(Reason reason);

struct Failure {
  model::InstanceId instance;
  Reason reason = Reason::Inactive;
  std::string detail;  // for people: "box-a: 1 of 8 GPUs free, 2 needed; 7 held by task X, Y and 2 more"
};

// Amazon returns one failure for each instance. Ours returns at most this many, ordered by instance id.
inline constexpr std::size_t kMaxFailures = 100;

struct Refusal {
  // Only ACTIVE instances are candidates. If this is empty there was no candidate, and RunTask reports "No Container
  // Instances were found in your cluster."
  std::vector<Failure> failures;
  bool more = false;  // there were more instances than kMaxFailures
};

// The closest instance, as service events name it: of those that passed the most filters, the first by id. nullptr
// without failures.
const Failure* closest(const Refusal& refusal);

using Decision = std::variant<Plan, Refusal>;

}  // namespace scheduler
