// SPDX-License-Identifier: Apache-2.0
// Deleted pipelines whose bucket is still being emptied, in slices. Until then the name can't be used again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "services/call.h"
#include "services/module.h"

namespace services::pipelines {

struct Removal {
  std::int64_t number = 0;
  std::string account, region, name, bucket;
  std::string problem;
  base::Time created_at = {};
};

inline constexpr char kRemovalsTopic[] = "pipelines/removals";

// Wakes the loop.
void add_removal(Call& call, const std::string& name, const std::string& bucket);
std::optional<Removal> find_removal(Call& call, const std::string& name);
std::vector<Removal> list_removals(Call& call);

Loop removal_loop();

}  // namespace services::pipelines
