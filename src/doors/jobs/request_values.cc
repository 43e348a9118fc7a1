// SPDX-License-Identifier: Apache-2.0
#include "doors/jobs/request_values.h"

#include <algorithm>
#include <charconv>

#include "base/bytes.h"
#include "base/utf8.h"
#include "doors/jobs/problem.h"
#include "wire/timestamp.h"

namespace doors::jobs {
namespace pipelines = services::pipelines;
namespace {

constexpr std::string_view kMetadataPrefix = "metadata.";
constexpr std::size_t kMaxIdempotencyKey = 256;

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || end.ec != std::errc() || end.ptr != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

void set_webhook(const std::string& url, bool private_webhooks, JobFields& into) {
  pipelines::check_webhook_url(url, private_webhooks);
  into.webhook = url;
}

void set_filename(std::string_view name, JobFields& into) { into.filename = pipelines::safe_file_name(name); }

}  // namespace

Query read_query(std::string_view query, const std::vector<std::string_view>& known, std::string_view prefix) {
  Query values;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    auto name = base::percent_decode(part.substr(0, equals), true);
    auto value = base::percent_decode(part.substr(std::min(equals + 1, part.size())), true);
    if (!name || !value || !base::is_utf8(*name) || !base::is_utf8(*value) || value->find('\0') != value->npos) {
      throw Problem(400, "The query has an invalid escape in '" + base::to_printable(part.substr(0, 100)) + "'.");
    }
    // A presigned URL has its signature there.
    if (name->starts_with("X-Amz-")) continue;
    const bool is_known = std::find(known.begin(), known.end(), *name) != known.end() ||
                          (!prefix.empty() && name->starts_with(prefix));
    if (!is_known) throw Problem(400, "There is no parameter '" + base::to_printable(name->substr(0, 100)) + "'.");
    if (find_value(values, *name)) throw Problem(400, "The query has the parameter '" + *name + "' twice.");
    values.emplace_back(std::move(*name), std::move(*value));
  }
  return values;
}

std::optional<std::string> find_value(const Query& query, std::string_view name) {
  for (const auto& [known, value] : query) {
    if (known == name) return value;
  }
  return std::nullopt;
}

std::optional<base::Duration> preferred_wait(const base::Headers& headers) {
  std::string_view rest = headers.get("Prefer");
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const std::string_view preference = base::trim(one.substr(0, one.find(';')));
    const std::size_t equals = preference.find('=');
    if (equals == preference.npos) continue;
    if (!base::equals_ignoring_case(base::trim(preference.substr(0, equals)), "wait")) continue;
    const auto seconds = whole_number(base::trim(preference.substr(equals + 1)));
    // RFC 7240: a preference that is not understood is ignored.
    if (!seconds) return std::nullopt;
    return std::min<base::Duration>(std::chrono::seconds(std::min<std::int64_t>(*seconds, 3600)), kMaxWait);
  }
  return std::nullopt;
}

std::optional<std::int64_t> last_event_id(const base::Headers& headers) {
  const std::string* text = headers.find("Last-Event-ID");
  if (!text || text->empty()) return std::nullopt;
  const auto id = whole_number(*text);
  if (!id) throw Problem(400, "The Last-Event-ID is invalid: use the id of an event.");
  return id;
}

pipelines::JobFilter read_filter(const Query& query) {
  pipelines::JobFilter filter;
  filter.pipeline = find_value(query, "pipeline").value_or("");
  filter.cursor = find_value(query, "cursor").value_or("");
  if (filter.cursor.empty() && find_value(query, "cursor")) throw Problem(400, "The cursor is empty.");
  if (auto status = find_value(query, "status")) {
    filter.status = pipelines::job_status(*status);
    if (!filter.status) {
      throw Problem(400, "The status '" + *status + "' is unknown: use QUEUED, RUNNING, SUCCEEDED, FAILED or CANCELLED.");
    }
  }
  if (auto after = find_value(query, "created_after")) {
    filter.created_after = wire::from_iso8601(*after);
    if (!filter.created_after) {
      throw Problem(400, "created_after '" + *after + "' is not a time like 2026-11-18T12:00:00Z.");
    }
  }
  if (auto limit = find_value(query, "limit")) {
    const auto number = whole_number(*limit);
    if (!number || *number < 1 || *number > pipelines::kMaxJobsPerPage) {
      throw Problem(400, "The limit '" + *limit + "' is invalid: use a number from 1 to 1000.");
    }
    filter.limit = *number;
  }
  return filter;
}

JobFields read_job_fields(const http::RequestHead& head, bool private_webhooks) {
  const Query query = read_query(head.query(), {"id", "filename", "priority", "webhook"}, kMetadataPrefix);
  JobFields fields;
  if (const std::string* key = head.headers.find("Idempotency-Key")) {
    if (key->empty() || key->size() > kMaxIdempotencyKey) {
      throw Problem(400, "The Idempotency-Key must have 1 to 256 characters.");
    }
    fields.id = pipelines::id_of_idempotency_key(*key);
  }
  if (const std::string* disposition = head.headers.find("Content-Disposition")) {
    if (auto name = pipelines::disposition_file_name(*disposition)) set_filename(*name, fields);
  }
  for (const auto& [name, value] : query) {
    if (name == "id") {
      pipelines::check_job_id(value);
      fields.id = value;
    } else if (name == "filename") {
      set_filename(value, fields);
    } else if (name == "priority") {
      fields.priority = pipelines::parse_priority(value);
    } else if (name == "webhook") {
      set_webhook(value, private_webhooks, fields);
    } else {
      fields.metadata[name.substr(kMetadataPrefix.size())] = value;
    }
  }
  pipelines::check_metadata(fields.metadata);
  return fields;
}

void add_form_fields(const base::Headers& form, bool private_webhooks, JobFields& into) {
  for (const auto& [name, value] : form) {
    if (!base::is_utf8(name) || !base::is_utf8(value) || value.find('\0') != value.npos) {
      throw Problem(400, "The fields of the form are not UTF-8.");
    }
    if (name == "id") {
      pipelines::check_job_id(value);
      into.id = value;
    } else if (name == "filename") {
      set_filename(value, into);
    } else if (name == "priority") {
      into.priority = pipelines::parse_priority(value);
    } else if (name == "webhook") {
      set_webhook(value, private_webhooks, into);
    } else if (name == "metadata") {
      for (auto& [key, text] : pipelines::parse_metadata(value)) into.metadata[key] = text;
    } else {
      throw Problem(400, "There is no field '" + base::to_printable(name.substr(0, 100)) +
                             "': a form has file, id, filename, priority, webhook and metadata.");
    }
  }
  pipelines::check_metadata(into.metadata);
}

}  // namespace doors::jobs
