// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/jobs/job_schema.h"

namespace services::pipelines {

const char kJobTables[] = "";

}  // namespace services::pipelines
