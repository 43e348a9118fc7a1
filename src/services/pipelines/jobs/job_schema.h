// SPDX-License-Identifier: Apache-2.0
// The tables of jobs.
#pragma once

namespace services::pipelines {

extern const char kJobTables[];

}  // namespace services::pipelines
