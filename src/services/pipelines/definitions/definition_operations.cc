// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/definitions/definition_operations.h"

#include "services/pipelines/definitions/removal.h"
#include "services/pipelines/operations.h"

namespace services::pipelines {

std::vector<Operation> definition_operations() {
  std::vector<Operation> all;
  for (auto* rows : {&pipeline_apply_operations, &pipeline_pause_operations, &pipeline_deletion_operations,
                     &pipeline_reading_operations}) {
    for (Operation& row : rows()) all.push_back(std::move(row));
  }
  return all;
}

std::vector<Loop> definition_loops() { return {removal_loop()}; }

}  // namespace services::pipelines
