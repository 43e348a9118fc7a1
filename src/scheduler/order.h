// SPDX-License-Identifier: Apache-2.0
// Which of the machines that can take a task gets it: the strategies in the order given,
// then least GPU waste, then the id. A total order: the same snapshot, the same choice.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scheduler/gpu_choice.h"
#include "scheduler/machine.h"
#include "scheduler/request.h"

namespace scheduler {

// For each strategy of a request that spreads over an attribute, how many tasks of the request's
// group are on machines with each value. Machines without it share the value "".
using SpreadCounts = std::vector<std::map<std::string, int, std::less<>>>;

SpreadCounts make_spread_counts(const Request& request);
// Adds what is on one machine.
void count_spread(SpreadCounts& counts, const Request& request, const Machine& machine, int tasks_in_group);

// Lower is better, compared from the front.
using Rank = std::array<std::int64_t, model::kMaxPlacementStrategies + 1>;

Rank rank(const Machine& machine, const Request& request, const GpuNeed& need, const SpreadCounts& counts);

// The strategy `random`: a number of this seed and this machine that looks like any other.
std::int64_t shuffled(std::uint64_t seed, std::uint64_t id_hash);
std::uint64_t hash_of(const model::InstanceId& id);

}  // namespace scheduler
