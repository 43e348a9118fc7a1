// SPDX-License-Identifier: Apache-2.0
// The tables of jobs.
#pragma once

namespace services::pipelines {

extern const char kJobTables[];
extern const char kJobReceives[];

}  // namespace services::pipelines
