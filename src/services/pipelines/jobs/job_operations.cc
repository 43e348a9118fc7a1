// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/jobs/job_delivery.h"
#include "services/pipelines/jobs/job_hooks.h"
#include "services/pipelines/jobs/job_reports.h"
#include "services/pipelines/jobs/pipeline_keys.h"
#include "services/pipelines/operations.h"

namespace services::pipelines {

std::vector<Operation> job_operations() {
  std::vector<Operation> all = report_operations();
  for (const Operation& row : key_operations()) all.push_back(row);
  for (const Operation& row : webhook_secret_operations()) all.push_back(row);
  return all;
}

std::vector<Operation> internal_job_operations() {
  std::vector<Operation> all = hook_operations();
  for (const Operation& row : delivery_operations()) all.push_back(row);
  return all;
}

std::vector<Loop> job_loops() { return {job_sweep_loop(), lost_message_loop()}; }

}  // namespace services::pipelines
