// SPDX-License-Identifier: Apache-2.0
// A request of the job API, and what its answers share.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "doors/jobs/jobs_door.h"

namespace doors::jobs {

struct JobsDoor::Request {
  http::Exchange& exchange;
  Credentials credentials;
  Route route;
  Query query;  // of requests without an input
};

// The query parameters that an action takes, other than those of a submission.
std::vector<std::string_view> known_parameters(Action action);

// `document`: JSON text.
http::Response json_response(int status, std::string document);
// RFC 7240's Preference-Applied.
void add_applied_wait(std::optional<base::Duration> wait, http::Response& response);

// Throws Problem where the job has not succeeded.
void require_result(const services::pipelines::Job& job);

// The account of a pipeline, for calls of S3 on its bucket.
services::Caller owner_of(const services::Caller& caller, const services::pipelines::Pipeline& pipeline);

}  // namespace doors::jobs
