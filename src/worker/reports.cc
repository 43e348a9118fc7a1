// SPDX-License-Identifier: Apache-2.0
#include "worker/reports.h"

#include "base/log.h"
#include "shapes/stoker/pipeline_names.h"
#include "wire/type_of.h"

namespace worker {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kMaxJobs = 100;        // of a report
constexpr std::size_t kMaxWaiting = 10'000;  // further ones are dropped
constexpr base::Duration kGather = std::chrono::milliseconds(20);
constexpr base::Duration kReportPause = std::chrono::seconds(5);  // after a failure

const client::Target kPipelines{shapes::stoker::kPipelineService, "pipelines", wire::Protocol::Json11};

// Operation ReportJobs of the service of pipelines.
struct JobReports {
  std::string pipeline, task;
  std::vector<JobReport> jobs;
};
BOOST_DESCRIBE_STRUCT(JobReports, (), (pipeline, task, jobs))

}  // namespace

Reports::Reports(client::AsyncClient& client, std::string pipeline, std::string task)
    : client_(client), pipeline_(std::move(pipeline)), task_(std::move(task)) {}

void Reports::started(const Item& item) {
  if (waiting_.size() >= kMaxWaiting) return;
  JobReport report;
  report.bucket = item.bucket;
  report.key = item.key;
  report.sequencer = item.sequencer;
  report.attempt = item.message->attempt;
  waiting_.push_back(std::move(report));
  if (waiting_.size() == 1) changed_.notify();
}

asio::awaitable<void> Reports::run() {
  for (;;) {
    while (waiting_.empty()) {
      co_await changed_.wait(http::kLongestWait);
    }
    co_await http::sleep_for(kGather);
    JobReports reports{pipeline_, task_, {}};
    while (!waiting_.empty() && reports.jobs.size() < kMaxJobs) {
      reports.jobs.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    bool failed = false;
    try {
      co_await client_.call(kPipelines, "ReportJobs", std::move(reports));
    } catch (const std::exception& error) {
      failed = true;
      base::log_debug("jobs not reported", {{"error", error.what()}});
    }
    if (failed) co_await http::sleep_for(kReportPause);
  }
}

}  // namespace worker
