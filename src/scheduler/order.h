// SPDX-License-Identifier: Apache-2.0
// Ranks the machines that fit: by the strategies in the given order, then by least GPU waste, then by id; without a
// strategy by the growth of the expected waste, then as before. A total order: the same snapshot gives the same choice.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scheduler/gpu_choice.h"
#include "scheduler/machine.h"
#include "scheduler/outlook.h"
#include "scheduler/request.h"

namespace scheduler {

// For each strategy that spreads over an attribute: the number of tasks of the request's group for each value of
// the attribute. Machines without the attribute share the value "".
using SpreadCounts = std::vector<std::map<std::string, int, std::less<>>>;

SpreadCounts make_spread_counts(const Request& request);
// Adds the tasks of one machine.
void count_spread(SpreadCounts& counts, const Request& request, const Machine& machine, int tasks_in_group);

// Lower is better, compared from the front.
using Rank = std::array<std::int64_t, model::kMaxPlacementStrategies + 1>;

Rank rank(const Machine& machine, const Request& request, const GpuNeed& need, const SpreadCounts& counts);
// For a request without a strategy.
Rank rank(const Machine& machine, const Request& request, const GpuNeed& need, const Outlook& outlook);

// For the strategy `random`: a pseudorandom number from the seed and the machine.
std::int64_t shuffled(std::uint64_t seed, std::uint64_t id_hash);
std::uint64_t hash_of(const model::InstanceId& id);

}  // namespace scheduler
