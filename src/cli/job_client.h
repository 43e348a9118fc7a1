// SPDX-License-Identifier: Apache-2.0
// Calls of the job API.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/time.h"
#include "cli/commands.h"
#include "cli/job_document.h"
#include "cli/job_events.h"
#include "client/request.h"
#include "http/client.h"

namespace cli {

// An error reply. what() is the problem's detail.
class JobApiError : public std::runtime_error {
 public:
  JobApiError(int status, const std::string& detail) : std::runtime_error(detail), status_(status) {}
  int status() const { return status_; }
  // The same request may succeed later.
  bool is_temporary() const { return status_ == 408 || status_ == 429 || status_ >= 500; }

 private:
  int status_;
};

struct NewJob {
  std::string pipeline;
  std::string id;  // a repeated request with the same id has no further effect
  std::string filename;
  std::shared_ptr<const base::File> content;  // shared with the request that sends it
  std::string sha256;                         // of the content, in hexadecimal
  std::vector<std::pair<std::string, std::string>> metadata;
  std::optional<int> priority;
  std::optional<std::string> webhook;
};

// Ids are unique within a pipeline.
struct JobName {
  std::string id;
  std::optional<std::string> pipeline = {};  // needed where several pipelines have this id
};

struct JobFilter {
  std::optional<std::string> pipeline, status;
  std::size_t most = 20;
};

// A document, and its text as the server sent it.
struct JobReply {
  JobDocument job;
  std::string text;
};

// Safe to use from several threads at once. All functions throw JobApiError for an error reply, and
// std::runtime_error when there is no reply.
class JobClient {
 public:
  explicit JobClient(const Options& options);
  ~JobClient();

  PipelineSummary pipeline(const std::string& name);
  JobReply create(const NewJob& job);
  // `wait`: the server replies when the job is over, at the latest after so long.
  JobReply job(const JobName& name, std::optional<std::chrono::seconds> wait = std::nullopt);
  JobReply change(const JobName& name, const std::string& verb);  // "cancel", "retry"
  // The newest first, of as many pages as needed.
  std::vector<JobDocument> jobs(const JobFilter& filter);

  // Passes the pieces of a job's result to `each`.
  void read_result(const JobName& name, const std::function<void(std::string_view)>& each);
  // Each event of a pipeline, until the stream ends or `each` returns false.
  void read_events(const std::string& pipeline, const std::optional<std::string>& after,
                   const std::function<bool(const ServerEvent&)>& each);

 private:
  http::Response send(http::Request request, base::Duration deadline);
  JobReply reply_of(const http::Response& response) const;
  // Signed.
  http::Request make(std::string method, std::string target, base::Headers headers = {}) const;
  void stream(http::Request request, const std::function<bool(std::string_view)>& each);

  client::Profile profile_;
  http::IoThreads io_;
  std::unique_ptr<http::Client> http_;
};

// "/jobs/ID/result?pipeline=ocr"
std::string target_of(const JobName& name, const std::string& rest = "");
// The request target of a new job: /pipelines/NAME/jobs?id=...
std::string target_of(const NewJob& job);
// The media type by the ending of a file's name.
std::string_view media_type_of(std::string_view filename);

}  // namespace cli
