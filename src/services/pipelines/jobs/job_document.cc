// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/jobs/job_document.h"

#include <algorithm>
#include <boost/json.hpp>

#include "wire/timestamp.h"

namespace services::pipelines {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxResultDepth = 256;

json::value maybe_time_text(const std::optional<base::Time>& time) {
  return time ? json::value(time_text(*time)) : json::value(nullptr);
}

json::value text_or_null(const std::string& text) { return text.empty() ? json::value(nullptr) : json::value(text); }

json::value result_location(const Pipeline& pipeline, const Job& job) {
  if (job.status != JobStatus::Succeeded) return nullptr;
  return json::object{{"bucket", pipeline.bucket}, {"key", job.result_key}, {"url", "/jobs/" + job.id + "/result"}};
}

json::value webhook_document(store::Tx& tx, const Pipeline& pipeline, const Job& job) {
  const std::string& url = job.webhook_url.empty() ? pipeline.webhook_url : job.webhook_url;
  const auto last = job.endings > 0 ? last_delivery(tx, job.number) : std::nullopt;
  if (!last && url.empty()) return nullptr;
  return json::object{{"url", last ? last->url : url},
                      {"status", last ? json::value(last->status) : json::value(nullptr)},
                      {"attempts", last ? last->attempts : 0},
                      {"error", last ? text_or_null(last->error) : json::value(nullptr)}};
}

json::array gpu_list(std::string_view ids) {
  json::array list;
  while (!ids.empty()) {
    const std::string_view id = ids.substr(0, ids.find(' '));
    list.emplace_back(id);
    ids.remove_prefix(std::min(ids.size(), id.size() + 1));
  }
  return list;
}

json::value metadata_of(const Job& job) {
  json::error_code error;
  json::value parsed = json::parse(job.metadata_json, error);
  return error ? json::value(json::object()) : parsed;
}

bool is_json(std::string_view text) {
  json::parse_options options;
  options.max_depth = kMaxResultDepth;
  json::stream_parser parser({}, options);
  json::error_code error;
  parser.write(text, error);
  if (!error) parser.finish(error);
  return !error;
}

json::object job_object(store::Tx& tx, const Pipeline& pipeline, const Job& job) {
  json::object document;
  document["task_id"] = job.id;
  document["pipeline"] = pipeline.name;
  document["status"] = text(job.status);
  document["created_at"] = time_text(job.created_at);
  document["started_at"] = maybe_time_text(job.started_at);
  document["finished_at"] = maybe_time_text(job.finished_at);
  document["attempts"] = job.attempts;
  document["priority"] = job.priority;
  document["metadata"] = metadata_of(job);
  document["input"] = json::object{
      {"bucket", pipeline.bucket}, {"key", job.input_key}, {"size", job.size}, {"content_type", job.content_type}};
  document["result"] = result_location(pipeline, job);
  const bool failed = !job.error.type.empty() && job.status != JobStatus::Succeeded;
  document["error"] = failed ? json::value(json::object{{"type", job.error.type}, {"message", job.error.message}})
                             : json::value(nullptr);
  document["task_arn"] = text_or_null(job.task_arn);
  document["machine"] = text_or_null(job.machine);
  document["gpu_ids"] = gpu_list(job.gpu_ids);
  document["webhook"] = webhook_document(tx, pipeline, job);
  return document;
}

}  // namespace

std::string time_text(base::Time time) { return wire::to_iso8601(time, true); }

std::string job_document(store::Tx& tx, const Pipeline& pipeline, const Job& job) {
  return json::serialize(job_object(tx, pipeline, job));
}

std::string delivery_document(const JobDelivery& delivery) {
  json::object document;
  document["id"] = std::to_string(delivery.number);
  document["webhook_id"] = delivery.message_id;
  document["event"] = delivery.event;
  document["url"] = delivery.url;
  document["status"] = delivery.status;
  document["attempts"] = delivery.attempts;
  document["created_at"] = time_text(delivery.created_at);
  document["last_attempt_at"] = maybe_time_text(delivery.last_attempt_at);
  document["next_attempt_at"] = maybe_time_text(delivery.next_attempt_at);
  document["finished_at"] = maybe_time_text(delivery.finished_at);
  document["response_status"] =
      delivery.response_status ? json::value(*delivery.response_status) : json::value(nullptr);
  document["error"] = text_or_null(delivery.error);
  return json::serialize(document);
}

std::string ending_body(store::Tx& tx, const Pipeline& pipeline, const Job& job, std::string_view result,
                        base::Time now) {
  json::object data = job_object(tx, pipeline, job);
  data["result_location"] = result_location(pipeline, job);
  data.erase("result");
  std::string body = R"({"type":")" + ending_event(job.status) + R"(","timestamp":")" + time_text(now) +
                     R"(","data":)" + json::serialize(data);
  body.pop_back();
  // The document as the worker wrote it: numbers keep their digits.
  body += R"(,"result":)";
  body += !result.empty() && is_json(result) ? result : std::string_view("null");
  body += "}}";
  return body;
}

}  // namespace services::pipelines
