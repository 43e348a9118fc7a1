// SPDX-License-Identifier: Apache-2.0
// The parts that module.cc puts together. Each source exports its own.
#pragma once

#include <vector>

#include "services/module.h"

namespace services::logs {

std::vector<Operation> group_operations();
std::vector<Operation> stream_operations();
std::vector<Operation> group_list_operations();
std::vector<Operation> tag_operations();
std::vector<Operation> put_operations();
std::vector<Operation> read_operations();
std::vector<Operation> record_operations();
std::vector<Operation> metric_filter_operations();
std::vector<Operation> subscription_operations();
std::vector<Operation> query_operations();
std::vector<Operation> query_definition_operations();
std::vector<Operation> resource_policy_operations();

store::Migrations migrations();

// Seals batches, and deletes what has expired.
std::vector<Loop> loops();
// Deletes the files of chunks that a crash left without a row.
void recover_chunk_files(Call& call);

}  // namespace services::logs
