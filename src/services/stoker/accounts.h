// SPDX-License-Identifier: Apache-2.0
// What accounts use, and their quotas.
#pragma once

#include <vector>

#include "services/module.h"

namespace services::stoker {

std::vector<Operation> account_operations();
// Of the accounts with the most bytes: the page must not grow with the number of accounts.
inline constexpr std::int64_t kMostShownAccounts = 100;
std::vector<Gauge> account_gauges(Call& call);

}  // namespace services::stoker
