// SPDX-License-Identifier: Apache-2.0
// What is asked of the scheduler, and what it answers: a plan, or why there is none.
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
  std::vector<Expression> member_of;  // all must hold
  std::vector<model::PlacementStrategy> strategies;
  std::uint64_t seed = 0;  // for the strategy `random`: the same seed, the same choice
};

// Puts constraints into a request, parsed; an error for a bad expression or too many.
std::optional<base::Error> constrain(Request& request, std::span<const model::PlacementConstraint> constraints);

// This task on this instance, taking this. It takes nothing until a Fleet holds it.
struct Plan {
  model::InstanceId instance;
  std::int64_t instance_number = 0;  // what the database knows it by
  model::TaskHold hold;
};

// Why one machine can't take a task, in the order in which they are looked for. Missing is
// StartTask's, for an instance that is not there.
enum class Reason { Missing, Inactive, Agent, Attribute, Cpu, Memory, Ports, Gpu, DistinctInstance, MemberOf };

// As RunTask's `failures` have it: "RESOURCE:GPU".
std::string_view text(Reason reason);

struct Failure {
  model::InstanceId instance;
  Reason reason = Reason::Inactive;
  std::string detail;  // for a person: "box-a: 1 of 8 GPUs free, 2 needed; 7 held by task X, Y and 2 more"
};

// Amazon answers with one failure an instance. Ours has so many at most, by instance id.
inline constexpr std::size_t kMaxFailures = 100;

struct Refusal {
  // Instances that are not ACTIVE are no candidates and are not here: without any failure there
  // was no candidate at all, and RunTask says "No Container Instances were found in your cluster."
  std::vector<Failure> failures;
  bool more = false;  // there were more instances than kMaxFailures
};

// The instance that came nearest to fitting, as service events name it: of those that passed
// most filters the first by id. nullptr without failures.
const Failure* closest(const Refusal& refusal);

using Decision = std::variant<Plan, Refusal>;

}  // namespace scheduler
