// SPDX-License-Identifier: Apache-2.0
// Keys of the job API. Each is valid for one pipeline; the database has only their hashes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "services/operation.h"

namespace services::pipelines {

inline constexpr std::int64_t kMaxPipelineKeys = 100;  // of a pipeline

// The number of the pipeline that this key is valid for.
std::optional<std::int64_t> pipeline_of_key(store::Tx& tx, std::string_view key);

// CreatePipelineKey, ListPipelineKeys, DeletePipelineKey.
std::vector<Operation> key_operations();

}  // namespace services::pipelines
