// SPDX-License-Identifier: Apache-2.0
// How the service of pipelines is called on the wire.
#pragma once

#include "wire/operation.h"

namespace shapes::stoker {

inline constexpr wire::ErrorSpec kPipelineErrors[] = {
    {"AccessDeniedException", "AccessDenied", 403, true, ""},
    {"ConflictException", "", 409, true, ""},
    {"LimitExceededException", "", 400, true, ""},
    {"ResourceNotFoundException", "", 404, true, ""},
    {"ValidationException", "", 400, true, ""},
};

inline constexpr wire::Service kPipelineService{
    .name = "pipelines", .target_prefix = "StokerPipelines", .api_version = "2026-11-01", .errors = kPipelineErrors};

}  // namespace shapes::stoker
