// SPDX-License-Identifier: Apache-2.0
// The body of a message -> the objects it announces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace worker {

struct CreatedObject {
  std::string bucket;
  std::string key;
  std::string sequencer;  // "" in events without one
};

// S3's notification, as S3 sends it or in the envelope of an SNS topic. Empty for what announces no created object:
// S3's test event, deletions. An error for anything else.
base::Result<std::vector<CreatedObject>> parse_event(std::string_view body);

// Whether `a` was written before `b`. Sequencers of one key are hexadecimal numbers, aligned at their first digit.
bool is_older(std::string_view a, std::string_view b);

}  // namespace worker
