// SPDX-License-Identifier: Apache-2.0
// POST /pipelines/{name}/jobs: the input goes to disk as it comes; then one transaction creates the job, the object,
// its event and its message.
#include <algorithm>
#include <charconv>
#include <functional>

#include "base/bytes.h"
#include "base/utf8.h"
#include "doors/jobs/door_request.h"
#include "doors/jobs/input_reader.h"
#include "doors/jobs/problem.h"

namespace doors::jobs {
namespace asio = boost::asio;
namespace pipelines = services::pipelines;
namespace s3 = services::s3;

struct JobsDoor::Input {
  JobFields fields;
  std::string content_type;
  s3::Spool wanted = {};
  std::string job = {};  // its id
  bool is_new = false;
};

namespace {

constexpr char kTaskIdMetadata[] = "stoker-task-id";
constexpr char kDefaultType[] = "application/octet-stream";
constexpr std::size_t kMaxContentType = 256;

std::optional<std::uint64_t> content_length(const http::RequestHead& head) {
  const std::string* text = head.headers.find("Content-Length");
  if (!text) return std::nullopt;
  std::uint64_t length = 0;
  std::from_chars(text->data(), text->data() + text->size(), length);
  return length;
}

// The type of the object; a client's may be anything.
std::string safe_content_type(std::string_view type) {
  const bool printable = std::all_of(type.begin(), type.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return type.empty() || !printable || type.size() > kMaxContentType ? kDefaultType : std::string(type);
}

s3::shape::PutObjectRequest put_request(const pipelines::Pipeline& pipeline, const std::string& key,
                                        const std::string& content_type, const std::string& id) {
  s3::shape::PutObjectRequest request;
  request.Bucket = pipeline.bucket;
  request.Key = key;
  request.ContentType = content_type;
  request.Metadata = std::map<std::string, std::string>{{kTaskIdMetadata, id}};
  return request;
}

pipelines::NewJob new_job(const JobFields& fields, const std::string& content_type, const s3::Upload& upload) {
  pipelines::NewJob job;
  job.id = fields.id;
  job.filename = fields.filename.empty() ? pipelines::default_file_name(content_type) : fields.filename;
  job.content_type = content_type;
  job.content_hash = base::to_hex(upload.checksums.at(base::Checksum::Sha256));
  job.size = static_cast<std::int64_t>(upload.size);
  job.priority = fields.priority;
  job.metadata = fields.metadata;
  job.webhook_url = fields.webhook;
  return job;
}

}  // namespace

asio::awaitable<http::Response> JobsDoor::submit(Request& request) {
  const http::RequestHead& head = request.exchange.head();
  if (setup_.engine.is_full()) throw Problem(507, api::kFullDisk);
  Input input;
  input.fields = read_job_fields(head, setup_.private_webhooks);
  spool::HeldUpload upload = co_await store_input(request, input);
  Document document;
  api::Engine::Work work = [&](services::Call& call) {
    if (setup_.engine.is_full()) throw Problem(507, api::kFullDisk);
    document = create(call, request, input, upload.get());
  };
  try {
    co_await setup_.engine.run(services::Access::Write, request.credentials.caller(), std::move(work));
  } catch (const store::Error&) {
    upload.leave();
    throw;
  }
  if (input.is_new) upload.keep();
  request.route.job = input.job;
  const auto wait = preferred_wait(head.headers);
  if (wait) {
    request.query = {{"pipeline", request.route.pipeline}};
    document = co_await wait_for(request, wait);
  }
  http::Response response = json_response(input.is_new ? 202 : 200, std::move(document));
  response.headers.set("Location", "/jobs/" + request.route.job);
  add_applied_wait(wait, response);
  co_return response;
}

// Rejects what can't succeed before the body is read.
asio::awaitable<spool::HeldUpload> JobsDoor::store_input(Request& request, Input& input) {
  const http::RequestHead& head = request.exchange.head();
  Credentials::BodyRule rule = request.credentials.verify_head(head, setup_.engine.wall_clock().now());
  std::optional<std::string> whole;
  if (rule.whole) {
    whole = co_await request.exchange.read_body(Credentials::kMaxUnhashedBody);
    request.credentials.verify(*whole, setup_.authenticator, head);
  }
  co_await set_account(request);
  api::Engine::Work look = [&](services::Call& call) {
    const auto pipeline =
        pipelines::pipeline_in(call.tx, request.credentials.scope(call.tx), request.route.pipeline);
    const services::Caller owner = owner_of(call.caller, pipeline);
    s3::ObjectCall put{services::Call{call.tx, owner, call.now, call.started, call.locals, call.directory}};
    s3::prepare_put_object(put, put_request(pipeline, pipelines::kInputs, kDefaultType, ""));
    input.wanted = std::move(put.spool);
  };
  co_await read(request, std::move(look));
  InputReader reader(request.exchange, std::move(rule.hash), std::move(whole));
  input.wanted.checksums.insert(base::Checksum::Sha256);
  input.wanted.keep_bytes = 0;
  const auto length = content_length(head);
  if (length && *length > input.wanted.max_bytes + (reader.is_form() ? 64 * 1024 : 0)) {
    throw Problem(413, "The input has " + std::to_string(*length) + " bytes; at most 5 GiB are allowed.");
  }
  spool::BodyFacts facts{reader.is_form() ? std::nullopt : length, {}};
  spool::NextPiece next = std::bind_front(&InputReader::next, &reader);
  spool::HeldUpload upload =
      co_await spool::spool_pieces(setup_.disk, std::move(next), std::move(input.wanted), std::move(facts));
  input.content_type = safe_content_type(head.headers.get("Content-Type"));
  if (reader.is_form()) {
    input.content_type = safe_content_type(reader.form().file().content_type);
    if (input.fields.filename.empty()) input.fields.filename = pipelines::safe_file_name(reader.form().file().name);
    add_form_fields(reader.form().fields(), setup_.private_webhooks, input.fields);
  }
  co_return upload;
}

JobsDoor::Document JobsDoor::create(services::Call& call, const Request& request, Input& input,
                                    const s3::Upload& upload) {
  const auto pipeline = pipelines::pipeline_in(call.tx, request.credentials.scope(call.tx), request.route.pipeline);
  const pipelines::NewJob wanted = new_job(input.fields, input.content_type, upload);
  pipelines::Submission submission = pipelines::submit_job(call, pipeline, wanted);
  input.is_new = submission.is_new;
  input.job = submission.job.id;
  if (!submission.is_new) return pipelines::job_document(call.tx, pipeline, submission.job);
  const services::Caller owner = owner_of(call.caller, pipeline);
  s3::ObjectCall put{services::Call{call.tx, owner, call.now, call.started, call.locals, call.directory}};
  const auto object =
      put_request(pipeline, submission.job.input_key, input.content_type, submission.job.id);
  const s3::PutPlan plan = s3::prepare_put_object(put, object);
  put.upload = &upload;
  s3::put_object(put, object, plan);
  for (services::Wake& wake : put.wakes) call.wakes.push_back(std::move(wake));
  for (services::Wake& wake : put.wakes_if_failed) call.wakes_if_failed.push_back(std::move(wake));
  const pipelines::Job job = pipelines::finish_submission(call, pipeline, submission.job);
  return pipelines::job_document(call.tx, pipeline, job);
}

}  // namespace doors::jobs
