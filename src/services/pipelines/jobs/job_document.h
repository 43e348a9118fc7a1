// SPDX-License-Identifier: Apache-2.0
// Jobs as the job API and webhooks show them (docs/openapi.yaml): JSON texts.
#pragma once

#include <string>
#include <string_view>

#include "services/pipelines/jobs/job_delivery.h"
#include "services/pipelines/jobs/job_row.h"

namespace services::pipelines {

// RFC 3339, with milliseconds.
std::string time_text(base::Time time);

std::string job_document(store::Tx& tx, const Pipeline& pipeline, const Job& job);
std::string delivery_document(const JobDelivery& delivery);

// The body of a webhook. `result`: the bytes of the result; "" where there is none or it is too large.
std::string ending_body(store::Tx& tx, const Pipeline& pipeline, const Job& job, std::string_view result,
                        base::Time now);

}  // namespace services::pipelines
