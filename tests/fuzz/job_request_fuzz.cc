// SPDX-License-Identifier: Apache-2.0
// What clients of the job API put in queries, headers and forms: it is rejected with an error, or safe.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "doors/jobs/problem.h"
#include "doors/jobs/request_values.h"
#include "doors/jobs/route.h"
#include "services/pipelines/jobs/job_identifiers.h"
#include "wire/error.h"

namespace {

template <class Fn>
void allow_errors(Fn&& fn) {
  try {
    fn();
  } catch (const doors::jobs::Problem& problem) {
    CHECK(problem.status == 400) << problem.status;
  } catch (const wire::ApiError& error) {
    CHECK(error.code() == "ValidationException") << error.code();
  }
}

void check_file_name(const std::string& name) {
  CHECK(name.size() <= services::pipelines::kMaxFileName && base::is_utf8(name)) << name;
  CHECK(name.find_first_of("/\\") == name.npos && !name.starts_with('.')) << name;
  for (char c : name) CHECK(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << name;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace pipelines = services::pipelines;
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_file_name(pipelines::safe_file_name(text));
  if (auto name = pipelines::disposition_file_name(text)) check_file_name(pipelines::safe_file_name(*name));
  CHECK(pipelines::is_job_id(pipelines::id_of_idempotency_key(text))) << "an Idempotency-Key without an id";
  allow_errors([&] {
    const pipelines::JobMetadata metadata = pipelines::parse_metadata(text);
    CHECK(pipelines::parse_metadata(pipelines::metadata_json(metadata)) == metadata) << "metadata changed";
  });
  allow_errors([&] { pipelines::check_webhook_url(text, false); });
  allow_errors([&] {
    const http::RequestHead head{"POST", "/pipelines/p/jobs?" + text, {{"Content-Disposition", text}}};
    const auto fields = doors::jobs::read_job_fields(head, false);
    check_file_name(fields.filename);
    CHECK(fields.id.empty() || pipelines::is_job_id(fields.id)) << fields.id;
    CHECK(fields.priority >= 0 && fields.priority <= 9) << fields.priority;
  });
  allow_errors([&] {
    doors::jobs::read_filter(doors::jobs::read_query(text, {"pipeline", "status", "created_after", "limit", "cursor"}));
  });
  const auto wait = doors::jobs::preferred_wait({{"Prefer", text}});
  CHECK(!wait || (*wait >= base::Duration(0) && *wait <= doors::jobs::kMaxWait)) << "an endless wait";
  allow_errors([&] { doors::jobs::last_event_id({{"Last-Event-ID", text}}); });
  for (const auto& route : doors::jobs::find_route("GET", text).found) {
    CHECK(doors::jobs::is_job_path(text)) << "a route beside the reserved paths: " << route.job;
  }
  return 0;
}
