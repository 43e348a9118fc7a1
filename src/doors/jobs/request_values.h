// SPDX-License-Identifier: Apache-2.0
// The values that a request of the job API carries in its query, its headers and its form. Invalid ones throw Problem or
// ApiError ValidationException.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/headers.h"
#include "base/time.h"
#include "http/message.h"
#include "services/pipelines/jobs/job_requests.h"

namespace doors::jobs {

inline constexpr base::Duration kMaxWait = std::chrono::seconds(60);

using Query = std::vector<std::pair<std::string, std::string>>;

// Decoded. Throws for a name that is neither in `known` nor starts with `prefix`, and for one that comes twice.
Query read_query(std::string_view query, const std::vector<std::string_view>& known, std::string_view prefix = {});
std::optional<std::string> find_value(const Query& query, std::string_view name);

// "wait=30" of the header Prefer; nullopt where there is none. At most kMaxWait.
std::optional<base::Duration> preferred_wait(const base::Headers& headers);
// The header Last-Event-ID.
std::optional<std::int64_t> last_event_id(const base::Headers& headers);

services::pipelines::JobFilter read_filter(const Query& query);

// What a submission says of its job, without the body.
struct JobFields {
  std::string id, filename, webhook;
  std::int64_t priority = 0;
  services::pipelines::JobMetadata metadata = {};
};
JobFields read_job_fields(const http::RequestHead& head, bool private_webhooks);
// The fields of a form win over the query's.
void add_form_fields(const base::Headers& fields, bool private_webhooks, JobFields& into);

}  // namespace doors::jobs
