// SPDX-License-Identifier: Apache-2.0
#include "cli/job_client.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "cli/profile.h"
#include "cli/terminal_text.h"
#include "http/block_on.h"
#include "signing/sigv4.h"
#include "wire/error.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace cli {
namespace {

constexpr std::string_view kSigningName = "pipelines";
constexpr base::Duration kUploadDeadline = std::chrono::hours(6);
constexpr base::Duration kResultDeadline = std::chrono::minutes(5);  // between two pieces
// A waiting server replies within its time; the rest is for the way.
constexpr base::Duration kWaitMargin = std::chrono::seconds(30);
constexpr std::size_t kJobPage = 100;
constexpr std::size_t kShownOfUnknown = 200;

// RFC 9457
struct Problem {
  std::optional<std::string> title, detail;
};
BOOST_DESCRIBE_STRUCT(Problem, (), (title, detail))

constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kMediaTypes = {{{".png", "image/png"},
                                                                                        {".jpg", "image/jpeg"},
                                                                                        {".jpeg", "image/jpeg"},
                                                                                        {".tif", "image/tiff"},
                                                                                        {".tiff", "image/tiff"},
                                                                                        {".gif", "image/gif"},
                                                                                        {".webp", "image/webp"},
                                                                                        {".pdf", "application/pdf"},
                                                                                        {".txt", "text/plain"},
                                                                                        {".csv", "text/csv"},
                                                                                        {".wav", "audio/wav"},
                                                                                        {".mp3", "audio/mpeg"},
                                                                                        {".mp4", "video/mp4"},
                                                                                        {".zip", "application/zip"}}};

template <class T>
T parse_document(const std::string& text) {
  T value;
  try {
    wire::read_json(wire::type_of<T>(), text, &value);
  } catch (const wire::ApiError& error) {
    throw std::runtime_error("the server's reply is not the expected JSON: " + error.message());
  }
  return value;
}

[[noreturn]] void throw_problem(int status, const std::string& body) {
  Problem problem;
  try {
    wire::read_json(wire::type_of<Problem>(), body, &problem);
  } catch (const wire::ApiError&) {
    // Not of the job API: shown as it is.
  }
  std::string text = problem.detail.value_or(problem.title.value_or(""));
  if (text.empty()) text = "status " + std::to_string(status) + ": " + body.substr(0, kShownOfUnknown);
  throw JobApiError(status, terminal_text(text));
}

}  // namespace

std::string_view media_type_of(std::string_view filename) {
  const std::string name = base::to_lower(filename);
  for (const auto& [ending, type] : kMediaTypes) {
    if (name.ends_with(ending)) return type;
  }
  return "application/octet-stream";
}

std::string target_of(const NewJob& job) {
  std::string target = "/pipelines/" + base::percent_encode(job.pipeline) + "/jobs?id=" + base::percent_encode(job.id) +
                       "&filename=" + base::percent_encode(job.filename);
  if (job.priority) target += "&priority=" + std::to_string(*job.priority);
  if (job.webhook) target += "&webhook=" + base::percent_encode(*job.webhook);
  for (const auto& [key, value] : job.metadata) {
    target += "&metadata." + base::percent_encode(key) + "=" + base::percent_encode(value);
  }
  return target;
}

std::string target_of(const JobName& name, const std::string& rest) {
  const std::string target = "/jobs/" + base::percent_encode(name.id) + rest;
  return name.pipeline ? target + "?pipeline=" + base::percent_encode(*name.pipeline) : target;
}

JobClient::JobClient(const Options& options) : profile_(read_profile(options)), io_(1) {
  http_ = std::make_unique<http::Client>(io_, client::endpoint_of(profile_));
}

JobClient::~JobClient() {
  http_.reset();
  io_.stop();
}

http::Request JobClient::make(std::string method, std::string target, base::Headers headers) const {
  headers.set("Host", client::host_of(profile_.endpoint));
  http::Request request{{std::move(method), std::move(target), std::move(headers)}, ""};
  signing::sign(request, profile_.credentials, profile_.region, kSigningName, base::SystemClock().now());
  return request;
}

http::Response JobClient::send(http::Request request, base::Duration deadline) {
  auto response = http_->send_now(std::move(request), deadline);
  if (!response) throw std::runtime_error(profile_.endpoint + " does not respond: " + response.error());
  if (response->status >= 300) throw_problem(response->status, response->body);
  return std::move(*response);
}

JobReply JobClient::reply_of(const http::Response& response) const {
  std::string text = response.body.substr(0, response.body.find_last_not_of("\r\n") + 1);
  return {parse_document<JobDocument>(response.body), std::move(text)};
}

PipelineSummary JobClient::pipeline(const std::string& name) {
  const http::Response response = send(make("GET", "/pipelines/" + base::percent_encode(name)), client::kDeadline);
  return parse_document<PipelineSummary>(response.body);
}

JobReply JobClient::create(const NewJob& job) {
  base::Headers headers{{"Content-Type", std::string(media_type_of(job.filename))}, {"X-Amz-Content-Sha256", job.sha256}};
  http::Request request = make("POST", target_of(job), std::move(headers));
  request.file = job.content;
  return reply_of(send(std::move(request), kUploadDeadline));
}

JobReply JobClient::job(const JobName& name, std::optional<std::chrono::seconds> wait) {
  base::Headers headers;
  if (wait) headers.add("Prefer", "wait=" + std::to_string(wait->count()));
  http::Request request = make("GET", target_of(name), std::move(headers));
  return reply_of(send(std::move(request), wait ? base::Duration(*wait) + kWaitMargin : client::kDeadline));
}

JobReply JobClient::change(const JobName& name, const std::string& verb) {
  return reply_of(send(make("POST", target_of(name, "/" + verb)), client::kDeadline));
}

std::vector<JobDocument> JobClient::jobs(const JobFilter& filter) {
  std::vector<JobDocument> all;
  std::optional<std::string> cursor;
  do {
    std::string target = "/jobs?limit=" + std::to_string(std::min(filter.most - all.size(), kJobPage));
    if (filter.pipeline) target += "&pipeline=" + base::percent_encode(*filter.pipeline);
    if (filter.status) target += "&status=" + base::percent_encode(*filter.status);
    if (cursor) target += "&cursor=" + base::percent_encode(*cursor);
    JobPage page = parse_document<JobPage>(send(make("GET", target), client::kDeadline).body);
    for (JobDocument& job : page.jobs) all.push_back(std::move(job));
    cursor = page.next_cursor;
  } while (cursor && all.size() < filter.most);
  return all;
}

void JobClient::stream(http::Request request, const std::function<bool(std::string_view)>& each) {
  auto opened = http::block_on(io_.at(0), http_->open(std::move(request), client::kDeadline));
  if (!opened) throw std::runtime_error(profile_.endpoint + " does not respond: " + opened.error());
  http::ResponseStream& stream = **opened;
  std::string error_body;
  for (;;) {
    auto piece = http::block_on(io_.at(0), stream.read_piece(kResultDeadline));
    if (!piece) throw std::runtime_error("the reply ended early: " + piece.error());
    if (piece->empty()) break;
    if (stream.status() != 200) {
      error_body += *piece;
    } else if (!each(*piece)) {
      break;
    }
  }
  if (stream.status() != 200) throw_problem(stream.status(), error_body);
}

void JobClient::read_result(const JobName& name, const std::function<void(std::string_view)>& each) {
  stream(make("GET", target_of(name, "/result")), [&](std::string_view piece) {
    each(piece);
    return true;
  });
}

void JobClient::read_events(const std::string& pipeline, const std::optional<std::string>& after,
                            const std::function<bool(const ServerEvent&)>& each) {
  base::Headers headers{{"Accept", "text/event-stream"}};
  if (after) headers.add("Last-Event-ID", *after);
  EventReader reader;
  stream(make("GET", "/pipelines/" + base::percent_encode(pipeline) + "/events", std::move(headers)),
         [&](std::string_view piece) {
           for (const ServerEvent& event : reader.add(piece)) {
             if (!each(event)) return false;
           }
           return true;
         });
}

}  // namespace cli
