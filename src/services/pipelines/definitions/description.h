// SPDX-License-Identifier: Apache-2.0
// A pipeline as clients see it.
#pragma once

#include "services/call.h"
#include "services/pipelines/definitions/removal.h"
#include "services/pipelines/pipeline_row.h"
#include "shapes/stoker/pipeline.h"

namespace services::pipelines {

// Throws ResourceNotFoundException; for a pipeline that is being deleted, ConflictException.
Pipeline require_pipeline(Call& call, const std::string& name);

enum class Detail { Summary, Full };
shapes::stoker::PipelineDescription describe(Call& call, const Pipeline& pipeline, Detail detail);
shapes::stoker::PipelineDescription describe(const Removal& removal);

}  // namespace services::pipelines
