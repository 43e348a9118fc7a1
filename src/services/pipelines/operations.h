// SPDX-License-Identifier: Apache-2.0
// The operations of pipelines, as rows. Each list is next to its handlers.
#pragma once

#include <vector>

#include "services/module.h"
#include "services/operation.h"

namespace services::pipelines {

// Of the server: whether webhooks may be on this machine and in private networks.
struct WebhookRule {
  bool private_networks = false;
};

std::vector<Operation> definition_operations();    // definitions/
std::vector<Loop> definition_loops();
std::vector<Operation> job_operations();           // jobs/, and the keys of the job API
std::vector<Operation> internal_job_operations();  // what S3, SQS, webhooks and definitions/ announce
std::vector<Loop> job_loops();

}  // namespace services::pipelines
