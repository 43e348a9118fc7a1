// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/jobs/job_requests.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "services/pipelines/jobs/jobs_fixture.h"
#include "services/pipelines/jobs/pipeline_keys.h"
#include "shapes/stoker/job.h"

namespace services::pipelines {
namespace {

namespace json = boost::json;
using shapes::stoker::CreatePipelineKeyRequest;
using shapes::stoker::CreatePipelineKeyResponse;
using shapes::stoker::DeletePipelineKeyRequest;
using shapes::stoker::ListPipelineKeysRequest;
using shapes::stoker::ListPipelineKeysResponse;
using testing::ElementsAre;

class JobRequests : public JobsTest {
 protected:
  static NewJob request(const std::string& id, const std::string& hash = "h") {
    return {.id = id, .filename = "a.png", .content_type = "image/png", .content_hash = hash, .size = 0};
  }
  FoundJob found(const std::string& id) {
    return with_call([&](Call& call) { return job_in(call.tx, scope_, id, ""); });
  }
  Job cancel_one(const std::string& id) {
    return with_call([&](Call& call) {
      FoundJob job = job_in(call.tx, scope_, id, "");
      cancel(call, job);
      return job.job;
    });
  }
  Job retry_one(const std::string& id) {
    return with_call([&](Call& call) {
      FoundJob job = job_in(call.tx, scope_, id, "");
      retry(call, job);
      return job.job;
    });
  }
  json::object page(const JobFilter& filter) {
    return json::parse(with_call([&](Call& call) { return job_page(call.tx, scope_, filter); })).as_object();
  }
  static std::vector<std::string> ids(const json::object& page) {
    std::vector<std::string> all;
    for (const json::value& job : page.at("jobs").as_array()) all.emplace_back(job.at("task_id").as_string());
    return all;
  }

  JobScope scope_{"111111111111", "us-east-1"};
};

TEST_F(JobRequests, ASubmittedJobHasTheMessageOfItsInput) {
  NewJob wanted = request("mine");
  wanted.metadata = {{"customer", "7"}};
  wanted.priority = 5;
  const Job job = submit(wanted);
  EXPECT_EQ(job.input_key, "in/mine/a.png");
  EXPECT_EQ(job.message_id, "message-1");
  EXPECT_EQ(job.sequencer, "01");
  EXPECT_EQ(counts().queued, 1);
  ASSERT_EQ(fake_.prioritized.size(), 1u);
  EXPECT_EQ(fake_.prioritized[0].messageId, "message-1");
  EXPECT_EQ(fake_.prioritized[0].priority, 5);
  EXPECT_EQ(fake_.prioritized[0].sentAt, now_);
  const json::object document =
      json::parse(with_call([&](Call& call) { return job_document(call.tx, pipeline_, job); })).as_object();
  EXPECT_EQ(document.at("status").as_string(), "QUEUED");
  EXPECT_EQ(document.at("metadata").at("customer").as_string(), "7");
  EXPECT_TRUE(document.at("result").is_null());
  EXPECT_TRUE(document.at("webhook").is_null());
  EXPECT_EQ(document.at("created_at").as_string(), "2027-01-15T08:00:00.000Z");
}

TEST_F(JobRequests, TheSameIdAndContentIsTheSameJob) {
  const Job first = submit(request("mine"));
  EXPECT_EQ(submit(request("mine")).number, first.number);
  EXPECT_EQ(fake_.messages, 1);
  EXPECT_EQ(counts().queued, 1);
  EXPECT_EQ(error_of([&] { submit(request("mine", "other")); }), "ConflictException");
}

TEST_F(JobRequests, AJobWhoseInputReachedNoQueueIsRejected) {
  EXPECT_EQ(error_of([&] {
              with_call([&](Call& call) {
                const Submission made = submit_job(call, pipeline_, request("mine"));
                finish_submission(call, pipeline_, made.job);
              });
            }),
            "ConflictException");
  EXPECT_EQ(count_rows("pipeline_jobs"), 0);
}

TEST_F(JobRequests, CancellingRemovesTheMessage) {
  const base::Time sent = now_;
  submit(request("mine"));
  advance(std::chrono::seconds(5));
  EXPECT_EQ(cancel_one("mine").status, JobStatus::Cancelled);
  ASSERT_EQ(fake_.removed.size(), 1u);
  EXPECT_EQ(fake_.removed[0].messageId, "message-1");
  EXPECT_EQ(fake_.removed[0].sentAt, sent);
  EXPECT_EQ(cancel_one("mine").status, JobStatus::Cancelled);
  EXPECT_EQ(fake_.removed.size(), 1u);
  put_object("out/mine/a.png.json", "02", "{}", "01");
  EXPECT_EQ(found("mine").job.status, JobStatus::Cancelled);
  EXPECT_EQ(retry_one("mine").status, JobStatus::Succeeded);  // a worker had finished it nevertheless
}

TEST_F(JobRequests, AFailedJobIsQueuedAgain) {
  NewJob wanted = request("mine");
  wanted.priority = 2;
  submit(wanted);
  dead_letter("message-1", 3);
  const base::Time failed = now_;
  advance(std::chrono::minutes(1));
  const Job again = retry_one("mine");
  EXPECT_EQ(again.status, JobStatus::Queued);
  EXPECT_EQ(again.message_id, "message-2");
  EXPECT_EQ(again.attempts, 3);
  EXPECT_EQ(again.finished_at, std::nullopt);
  EXPECT_EQ(again.error.type, "");
  ASSERT_EQ(fake_.removed.size(), 1u);
  EXPECT_EQ(fake_.removed[0].queueArn, kFailedQueue);
  EXPECT_EQ(fake_.removed[0].sentAt, failed);
  EXPECT_EQ(fake_.prioritized.back().messageId, "message-2");
  dead_letter("message-2", 3);
  EXPECT_EQ(found("mine").job.attempts, 6);
}

TEST_F(JobRequests, OnlyAJobThatFailedOrWasCancelledCanBeRetried) {
  submit(request("mine"));
  EXPECT_EQ(error_of([&] { retry_one("mine"); }), "ConflictException");
  put_object("out/mine/a.png.json", "02", "{}", "01");
  EXPECT_EQ(error_of([&] { retry_one("mine"); }), "ConflictException");
  EXPECT_EQ(error_of([&] { cancel_one("mine"); }), "ConflictException");
}

TEST_F(JobRequests, AJobWithoutItsInputCanNotBeRetried) {
  submit(request("mine"));
  dead_letter("message-1", 3);
  fake_.input_exists = false;
  EXPECT_EQ(error_of([&] { retry_one("mine"); }), "ConflictException");
  EXPECT_EQ(found("mine").job.status, JobStatus::Failed);
}

TEST_F(JobRequests, PagesAreNewestFirstAndSurviveChanges) {
  for (int i = 0; i < 5; ++i) {
    submit(request("job-" + std::to_string(i)), std::to_string(i));
    if (i % 2 == 0) advance(std::chrono::seconds(1));
  }
  put_object("out/job-3/a.png.json", "x", "{}", "3");
  JobFilter filter{.limit = 2};
  json::object first = page(filter);
  EXPECT_THAT(ids(first), ElementsAre("job-4", "job-3"));
  dead_letter("message-3", 3);
  filter.cursor = std::string(first.at("next_cursor").as_string());
  json::object second = page(filter);
  EXPECT_THAT(ids(second), ElementsAre("job-2", "job-1"));
  filter.cursor = std::string(second.at("next_cursor").as_string());
  json::object third = page(filter);
  EXPECT_THAT(ids(third), ElementsAre("job-0"));
  EXPECT_TRUE(third.at("next_cursor").is_null());
  EXPECT_THAT(ids(page({.status = JobStatus::Succeeded})), ElementsAre("job-3"));
  EXPECT_THAT(ids(page({.pipeline = "ocr", .created_after = base::from_seconds(1800000001)})),
              ElementsAre("job-4", "job-3"));
  EXPECT_EQ(error_of([&] { page({.cursor = "nonsense"}); }), "ValidationException");
  EXPECT_EQ(error_of([&] { page({.pipeline = "missing"}); }), "ResourceNotFoundException");
}

TEST_F(JobRequests, AKeySeesOnlyItsPipeline) {
  const Pipeline other = add_pipeline("other");
  submit(request("mine"));
  auto make_key = [&](const std::string& name) {
    return ask<CreatePipelineKeyResponse>("CreatePipelineKey", CreatePipelineKeyRequest{name, "laptop"});
  };
  const auto key = make_key("other");
  EXPECT_TRUE(key.secret.starts_with("stk_" + key.key.id + "_"));
  EXPECT_EQ(count_rows("pipeline_keys WHERE hash LIKE '%stk%'"), 0);
  const JobScope scope = *with_call([&](Call& call) { return scope_of_key(call.tx, key.secret); });
  EXPECT_EQ(scope.pipeline, other.number);
  with_call([&](Call& call) {
    EXPECT_EQ(error_of([&] { job_in(call.tx, scope, "mine", ""); }), "ResourceNotFoundException");
    EXPECT_EQ(error_of([&] { job_in(call.tx, scope, "mine", "ocr"); }), "ResourceNotFoundException");
    EXPECT_EQ(error_of([&] { pipeline_in(call.tx, scope, "ocr"); }), "ResourceNotFoundException");
    EXPECT_EQ(pipeline_in(call.tx, scope, "other").number, other.number);
    EXPECT_EQ(job_page(call.tx, scope, {}), R"({"jobs":[],"next_cursor":null})");
  });
  std::string wrong = key.secret;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  EXPECT_EQ(with_call([&](Call& call) { return pipeline_of_key(call.tx, wrong); }), std::nullopt);
  EXPECT_EQ(with_call([&](Call& call) { return pipeline_of_key(call.tx, ""); }), std::nullopt);

  const auto listed = ask<ListPipelineKeysResponse>("ListPipelineKeys", ListPipelineKeysRequest{"other"});
  ASSERT_EQ(listed.keys.size(), 1u);
  EXPECT_EQ(listed.keys[0].name, "laptop");
  EXPECT_EQ(error_of([&] { announce("DeletePipelineKey", DeletePipelineKeyRequest{"ocr", key.key.id}); }),
            "ResourceNotFoundException");
  announce("DeletePipelineKey", DeletePipelineKeyRequest{"other", key.key.id});
  EXPECT_EQ(with_call([&](Call& call) { return pipeline_of_key(call.tx, key.secret); }), std::nullopt);
}

TEST_F(JobRequests, AnIdThatSeveralPipelinesHaveNeedsAPipeline) {
  submit(request("mine"));
  const Pipeline other = add_pipeline("other");
  with_call([&](Call& call) { submit_job(call, other, request("mine")); });
  EXPECT_EQ(error_of([&] { found("mine"); }), "ConflictException");
  EXPECT_EQ(with_call([&](Call& call) { return job_in(call.tx, scope_, "mine", "other").pipeline.name; }), "other");
  EXPECT_EQ(error_of([&] { found("../x"); }), "ResourceNotFoundException");
}

TEST_F(JobRequests, TheSummaryCountsByStatus) {
  submit(request("a"), "1");
  submit(request("b"), "2");
  put_object("out/a/a.png.json", "3", "{}", "1");
  const json::object summary =
      json::parse(with_call([&](Call& call) { return pipeline_summary(call.tx, pipeline_); })).as_object();
  EXPECT_EQ(summary.at("queued").as_int64(), 1);
  EXPECT_EQ(summary.at("succeeded").as_int64(), 1);
  EXPECT_EQ(summary.at("max").as_int64(), 4);
  EXPECT_EQ(summary.at("workers").as_int64(), 0);
}

TEST_F(JobRequests, ChangesAreListedInTheirOrder) {
  submit(request("a"), "1");
  submit(request("b"), "2");
  put_object("out/a/a.png.json", "3", "{}", "1");
  const auto changed = with_call(
      [&](Call& call) { return list_changed_jobs(call.tx, find_lot(call.tx, pipeline_.number), 0, 10); });
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_EQ(changed[0].id, "b");
  EXPECT_EQ(changed[1].id, "a");
  EXPECT_EQ(changed[1].change, counts().changes);
}

}  // namespace
}  // namespace services::pipelines
