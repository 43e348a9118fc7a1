// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/jobs/job_hooks.h"

#include <gmock/gmock.h>

#include "services/pipelines/jobs/job_changes.h"
#include "services/pipelines/jobs/jobs_fixture.h"
#include "shapes/stoker/job.h"
#include "state/cluster.h"
#include "state/definition.h"
#include "state/launch.h"
#include "state/machine.h"
#include "state/task.h"
#include "webhooks/outbox.h"

namespace services::pipelines {
namespace {

using shapes::stoker::ReportJobsRequest;
using shapes::stoker::ReportJobsResponse;
using testing::HasSubstr;
using testing::IsEmpty;

class JobHooks : public JobsTest {
 protected:
  std::int64_t report(const std::string& key, const std::string& sequencer, std::int64_t attempt = 1,
                      const std::string& task = "") {
    const ReportJobsRequest request{"ocr", task, {{kBucket, key, sequencer, attempt, "RUNNING"}}};
    return ask<ReportJobsResponse>("ReportJobs", request).running;
  }
};

TEST_F(JobHooks, AFileInTheBucketIsAJob) {
  put_object("in/a.png", "01", "bytes");
  const Job job = job_of("in/a.png");
  EXPECT_EQ(job.status, JobStatus::Queued);
  EXPECT_EQ(job.size, 5);
  EXPECT_EQ(job.content_type, "image/png");
  EXPECT_EQ(job.message_id, "message-1");
  EXPECT_EQ(counts().queued, 1);
  EXPECT_TRUE(woke(pipeline_topic(pipeline_.number)));
}

TEST_F(JobHooks, OtherObjectsAndOtherBucketsAreNot) {
  put_object("models/a.bin", "01");
  shapes::stoker::ObjectCreated created;
  created.bucket = "another";
  created.key = "in/a.png";
  created.events = {{kQueue, "m"}};
  announce("ObjectCreated", created);
  created.bucket = kBucket;
  created.events.clear();  // its queue rejected the event
  announce("ObjectCreated", created);
  EXPECT_EQ(count_rows("pipeline_jobs"), 0);
}

TEST_F(JobHooks, AnAccountCanNotChangeThePipelinesOfAnother) {
  caller_.account = "222222222222";
  put_object("in/a.png", "01");
  EXPECT_EQ(count_rows("pipeline_jobs"), 0);
}

TEST_F(JobHooks, AResultEndsItsJobOnce) {
  put_object("in/d/a.png", "01");
  EXPECT_EQ(report("in/d/a.png", "01"), 1);
  EXPECT_EQ(counts().running, 1);
  advance(std::chrono::seconds(2));
  put_object("out/d/a.png.json", "02", R"({"text":"x"})", "01");
  const Job job = job_of("in/d/a.png");
  EXPECT_EQ(job.status, JobStatus::Succeeded);
  EXPECT_EQ(job.result_key, "out/d/a.png.json");
  EXPECT_EQ(job.attempts, 1);
  EXPECT_EQ(job.finished_at, now_);
  EXPECT_TRUE(woke(job_topic(job.number)));
  advance(std::chrono::seconds(2));
  put_object("out/d/a.png.json", "03", "{}", "01");
  EXPECT_EQ(job_of("in/d/a.png").finished_at, job.finished_at);
  EXPECT_EQ(counts().succeeded, 1);
}

TEST_F(JobHooks, AStartThatIsReportedAfterTheEndNamesTheTask) {
  const std::string task = "arn:aws:ecs:us-east-1:111111111111:task/default/0123";
  put_object("in/a.png", "01");
  put_object("out/a.png.json", "02", "{}", "01");
  EXPECT_EQ(report("in/a.png", "01", 1, task), 0);
  const Job job = job_of("in/a.png");
  EXPECT_EQ(job.status, JobStatus::Succeeded);
  EXPECT_EQ(job.task_arn, task);
  EXPECT_EQ(counts().succeeded, 1);
  EXPECT_EQ(counts().running, 0);
}

TEST_F(JobHooks, AFailureBeforeItsStartIsReportedNamesTheTaskOfThatAttempt) {
  const std::string tasks = "arn:aws:ecs:us-east-1:111111111111:task/default/";
  auto fail = [&](const std::string& attempt) {
    put_object("errors/a.png.json", "2" + attempt, R"({"error":"not a PNG","attempt":)" + attempt + "}");
  };
  put_object("in/a.png", "01");
  fail("1");
  EXPECT_EQ(report("in/a.png", "01", 1, tasks + "1"), 0);
  EXPECT_EQ(job_of("in/a.png").status, JobStatus::Queued);
  EXPECT_EQ(job_of("in/a.png").task_arn, tasks + "1");
  fail("2");
  EXPECT_EQ(report("in/a.png", "01", 1, tasks + "0"), 0);  // of an attempt before the last one
  EXPECT_EQ(job_of("in/a.png").task_arn, tasks + "1");
  fail("3");
  EXPECT_EQ(report("in/a.png", "01", 3, tasks + "3"), 0);
  const Job job = job_of("in/a.png");
  EXPECT_EQ(job.status, JobStatus::Failed);
  EXPECT_EQ(job.task_arn, tasks + "3");
  EXPECT_EQ(job.attempts, 3);
  EXPECT_EQ(counts().failed, 1);
}

TEST_F(JobHooks, AResultOfAnotherVersionOfTheInputEndsNothing) {
  put_object("in/a.png", "02");
  put_object("out/a.png.json", "03", "{}", "01");
  EXPECT_EQ(job_of("in/a.png").status, JobStatus::Queued);
  put_object("out/a.png.json", "04", "{}");
  EXPECT_EQ(job_of("in/a.png").status, JobStatus::Succeeded);
}

TEST_F(JobHooks, AnErrorIsShownWhileTheJobIsTriedAgain) {
  put_object("in/a.png", "01");
  report("in/a.png", "01");
  put_object("errors/a.png.json", "02", R"({"error":{"type":"BadImage","message":"not a PNG"},"attempt":1})");
  Job job = job_of("in/a.png");
  EXPECT_EQ(job.status, JobStatus::Queued);
  EXPECT_EQ(job.error.type, "BadImage");
  EXPECT_EQ(job.error.message, "not a PNG");
  EXPECT_EQ(report("in/a.png", "01", 1), 0);  // late
  EXPECT_EQ(report("in/a.png", "01", 2), 1);
  job = job_of("in/a.png");
  EXPECT_EQ(job.attempts, 2);
  put_object("out/a.png.json", "03", "{}", "01");
  EXPECT_EQ(job_of("in/a.png").error.type, "");
}

TEST_F(JobHooks, ErrorsOfAnyFormAreTold) {
  put_object("in/a.png", "01");
  put_object("errors/a.png.json", "02", R"({"error":"just text"})");
  EXPECT_EQ(job_of("in/a.png").error.message, "just text");
  put_object("errors/a.png.json", "03", "garbage");
  EXPECT_EQ(job_of("in/a.png").error.type, "WorkerError");
  put_object("errors/a.png.json", "04", R"({"error":{"type":7,"message":[]},"attempt":-1})");
  EXPECT_EQ(job_of("in/a.png").error.type, "WorkerError");
}

TEST_F(JobHooks, ADeadLetterIsAFailureWithTheLastError) {
  put_object("in/a.png", "01");
  put_object("errors/a.png.json", "02", R"({"error":{"type":"BadImage","message":"not a PNG"},"attempt":3})");
  dead_letter("message-1", 13);
  const Job job = job_of("in/a.png");
  EXPECT_EQ(job.status, JobStatus::Failed);
  EXPECT_EQ(job.error.type, "BadImage");
  EXPECT_EQ(job.attempts, 1);
}

TEST_F(JobHooks, ReceivesBeforeTheWorkBeganAreNoAttempts) {
  put_object("in/a.png", "01");
  // Received nine times by workers that ended before they began with it.
  report("in/a.png", "01", 10);
  EXPECT_EQ(job_of("in/a.png").attempts, 1);
  put_object("errors/a.png.json", "02", R"({"error":{"type":"Error","message":"x"},"attempt":10})");
  put_object("errors/a.png.json", "03", R"({"error":{"type":"Error","message":"x"},"attempt":11})");
  EXPECT_EQ(job_of("in/a.png").attempts, 2);
  EXPECT_EQ(job_of("in/a.png").status, JobStatus::Queued);
  EXPECT_THAT(fake_.buried, IsEmpty());
}

TEST_F(JobHooks, TheLastAttemptFailsTheJobAndMovesItsMessage) {
  set_webhook("http://receiver/");
  put_object("in/a.png", "01");
  for (const char* attempt : {"4", "7", "9"}) {
    EXPECT_EQ(job_of("in/a.png").status, JobStatus::Queued);
    put_object("errors/a.png.json", std::string("2") + attempt,
               R"({"error":{"type":"BadImage","message":"not a PNG"},"attempt":)" + std::string(attempt) + "}");
  }
  const Job job = job_of("in/a.png");
  EXPECT_EQ(job.status, JobStatus::Failed);
  EXPECT_EQ(job.attempts, 3);
  EXPECT_EQ(job.finished_at, now_);
  ASSERT_EQ(fake_.buried.size(), 1u);
  EXPECT_EQ(fake_.buried[0].queueArn, kQueue);
  EXPECT_EQ(fake_.buried[0].messageId, "message-1");
  EXPECT_EQ(outbox().size(), 1u);
}

TEST_F(JobHooks, AnItemThatTakesItsWorkersWithItIsNotTriedForEver) {
  put_object("in/a.png", "01");
  for (int receive = 2; receive <= 4; ++receive) EXPECT_EQ(report("in/a.png", "01", receive), 1);
  EXPECT_EQ(job_of("in/a.png").status, JobStatus::Running);
  EXPECT_EQ(report("in/a.png", "01", 4), 1);  // repeated
  EXPECT_THAT(fake_.buried, IsEmpty());
  EXPECT_EQ(report("in/a.png", "01", 5), 0);
  EXPECT_EQ(job_of("in/a.png").status, JobStatus::Failed);
  EXPECT_EQ(job_of("in/a.png").error.type, "NoAnswer");
  EXPECT_EQ(job_of("in/a.png").attempts, 3);
  EXPECT_EQ(fake_.buried.size(), 1u);
}

TEST_F(JobHooks, APermanentErrorIsNotTriedAgain) {
  put_object("in/a.png", "01");
  put_object("errors/a.png.json", "02",
             R"({"error":{"type":"BrokenFile","message":"truncated","permanent":true},"attempt":1})");
  const Job job = job_of("in/a.png");
  EXPECT_EQ(job.status, JobStatus::Failed);
  EXPECT_EQ(job.error.type, "BrokenFile");
  EXPECT_EQ(job.attempts, 1);
  EXPECT_EQ(fake_.buried.size(), 1u);
}

TEST_F(JobHooks, ARetryHasAllItsAttempts) {
  put_object("in/a.png", "01");
  const std::string permanent = R"({"error":{"type":"X","message":"","permanent":true},"attempt":1})";
  put_object("errors/a.png.json", "02", permanent);
  with_call([&](Call& call) {
    Job job = *load_job(call.tx, 1);
    return retry_job(call, pipeline_, job);
  });
  for (const char* attempt : {"1", "2"}) {
    put_object("errors/a.png.json", std::string("3") + attempt,
               R"({"error":{"type":"Y","message":""},"attempt":)" + std::string(attempt) + "}");
  }
  EXPECT_EQ(job_of("in/a.png").status, JobStatus::Queued);
  EXPECT_EQ(job_of("in/a.png").attempts, 3);
}

TEST_F(JobHooks, AJobWhoseMessageWasDeletedFails) {
  set_webhook("http://receiver/");
  put_object("in/a.png", "01");
  put_object("in/b.png", "02");
  put_object("in/done.png", "03");
  put_object("out/done.png.json", "04", "{}", "03");
  fake_.missing = {"message-1", "message-3"};
  run_loop("lost messages");
  EXPECT_EQ(job_of("in/a.png").status, JobStatus::Failed);
  EXPECT_EQ(job_of("in/a.png").error.type, "MessageDeleted");
  EXPECT_EQ(job_of("in/b.png").status, JobStatus::Queued);
  EXPECT_EQ(job_of("in/done.png").status, JobStatus::Succeeded);
  EXPECT_EQ(outbox().size(), 2u);
}

TEST_F(JobHooks, AWorkerThatEndsWithoutAnAnswerIsAnErrorToo) {
  put_object("in/a.png", "01");
  dead_letter("message-1", 3);
  EXPECT_EQ(job_of("in/a.png").error.type, "NoAnswer");
  EXPECT_THAT(job_of("in/a.png").error.message, HasSubstr("3 times"));
  put_object("out/a.png.json", "02", "{}", "01");  // it was only slow
  EXPECT_EQ(job_of("in/a.png").status, JobStatus::Succeeded);
  EXPECT_EQ(counts().failed, 0);
}

TEST_F(JobHooks, DeadLettersOfOtherQueuesAreIgnored) {
  put_object("in/a.png", "01");
  announce("MessageDeadLettered",
           shapes::stoker::MessageDeadLettered{"arn:aws:sqs:us-east-1:111111111111:other", "message-1", 3});
  dead_letter("unknown", 3);
  EXPECT_EQ(job_of("in/a.png").status, JobStatus::Queued);
}

TEST_F(JobHooks, AnOverwrittenInputCancelsItsJobAndRemovesItsMessage) {
  put_object("in/a.png", "01");
  const std::string first = job_of("in/a.png").id;
  put_object("in/a.png", "02");
  EXPECT_EQ(job_named(first).status, JobStatus::Cancelled);
  EXPECT_EQ(job_named(first).error.type, "InputOverwritten");
  ASSERT_EQ(fake_.removed.size(), 1u);
  EXPECT_EQ(fake_.removed[0].messageId, "message-1");
  EXPECT_EQ(fake_.removed[0].queueArn, kQueue);
  EXPECT_EQ(job_of("in/a.png").message_id, "message-2");
  put_object("out/a.png.json", "03", "{}", "02");
  EXPECT_EQ(job_named(first).status, JobStatus::Cancelled);
  EXPECT_EQ(job_of("in/a.png").status, JobStatus::Succeeded);
}

TEST_F(JobHooks, AReportIsOfOnePipelineAndOnlyOfRunningItems) {
  put_object("in/a.png", "01");
  ReportJobsRequest request{"ocr", "", {{kBucket, "in/a.png", "01", 1, "SUCCEEDED"}}};
  EXPECT_EQ(error_of([&] { ask<ReportJobsResponse>("ReportJobs", request); }), "ValidationException");
  request.jobs[0].status = "RUNNING";
  request.pipeline = "another";
  EXPECT_EQ(error_of([&] { ask<ReportJobsResponse>("ReportJobs", request); }), "ResourceNotFoundException");
  request.pipeline = "ocr";
  request.jobs[0].bucket = "another";
  EXPECT_EQ(ask<ReportJobsResponse>("ReportJobs", request).running, 0);
  EXPECT_EQ(report("in/missing.png", "01"), 0);
  EXPECT_EQ(report("in/a.png", "", 1, "arn:aws:ecs:us-east-1:111111111111:task/default/0123"), 1);
  const Job job = job_of("in/a.png");
  EXPECT_EQ(job.task_arn, "arn:aws:ecs:us-east-1:111111111111:task/default/0123");
  EXPECT_EQ(job.machine, "");
  const std::int64_t change = job.change;
  EXPECT_EQ(report("in/a.png", "", 1, "arn:aws:ecs:us-east-1:111111111111:task/default/0123"), 1);
  EXPECT_EQ(job_of("in/a.png").change, change);
}

TEST_F(JobHooks, AReportOfATaskShowsItsMachineAndGpus) {
  model::TaskId task;
  with_call([&](Call& call) {
    const auto cluster = state::insert_cluster(call.tx, {{}, "111111111111", "us-east-1", "default"}, "{}", now_);
    state::Definition definition{.family = "f", .revision = 1, .status = "ACTIVE", .registered_at = now_};
    state::insert_definition(call.tx, {"111111111111", "us-east-1", "f"}, definition);
    state::Machine machine;
    machine.id = model::InstanceId("m");
    machine.cluster = cluster;
    machine.name = "box-a";
    machine.registered_at = machine.connected_at = now_;
    state::insert_machine(call.tx, machine);
    const auto number = state::find_definition(call.tx, {"111111111111", "us-east-1", "f"})->number;
    const auto launch = state::insert_launch(
        call.tx, {.cluster = cluster, .definition = number, .group = "g", .body_json = "{}", .created_at = now_});
    state::Task row;
    row.name = state::new_task_name(launch, 0);
    row.id = task = model::TaskId(state::to_text(row.name));
    row.cluster = cluster;
    row.machine_number = machine.number;
    row.hold.gpus = {{model::GpuId("GPU-1"), "worker", 0}, {model::GpuId("GPU-2"), "worker", 0}};
    state::insert_tasks(call.tx, {row});
  });
  put_object("in/a.png", "01");
  EXPECT_EQ(report("in/a.png", "01", 1, "arn:aws:ecs:us-east-1:111111111111:task/default/" + task.str()), 1);
  EXPECT_EQ(job_of("in/a.png").machine, "box-a");
  EXPECT_EQ(job_of("in/a.png").gpu_ids, "GPU-1 GPU-2");
  // A task of another account is only a text.
  put_object("in/b.png", "02");
  EXPECT_EQ(report("in/b.png", "02", 1, "arn:aws:ecs:us-east-1:222222222222:task/default/" + task.str()), 1);
  EXPECT_EQ(job_of("in/b.png").machine, "");
}

TEST_F(JobHooks, FinishedJobsAreDeletedAfterTheRetentionOthersNot) {
  put_object("in/old.png", "01");
  put_object("out/old.png.json", "02", "{}", "01");
  put_object("in/open.png", "03");
  advance(std::chrono::days(10));
  put_object("in/late.png", "04");
  put_object("out/late.png.json", "05", "{}", "04");
  advance(std::chrono::days(3));
  sweep();
  EXPECT_EQ(count_rows("pipeline_jobs"), 3);
  advance(std::chrono::days(17));
  sweep();
  EXPECT_EQ(count_rows("pipeline_jobs"), 2);
  EXPECT_EQ(job_of("in/open.png").status, JobStatus::Failed);  // its message has expired
  EXPECT_EQ(job_of("in/open.png").error.type, "Expired");
  EXPECT_EQ(job_of("in/late.png").status, JobStatus::Succeeded);
}

TEST_F(JobHooks, AJobThatIsKeptForEverIsNeverDeleted) {
  pipeline_.retention_days = 0;
  with_call([&](Call& call) { update_pipeline(call.tx, pipeline_); });
  put_object("in/a.png", "01");
  put_object("out/a.png.json", "02", "{}", "01");
  advance(std::chrono::days(4000));
  sweep();
  EXPECT_EQ(count_rows("pipeline_jobs"), 1);
}

TEST_F(JobHooks, ADeletedPipelinesJobsKeysAndDeliveriesGoInSlices) {
  set_webhook("http://receiver/");
  for (int i = 0; i < 250; ++i) put_object("in/" + std::to_string(i), std::to_string(i));
  put_object("out/1.json", "x", "{}", "1");
  EXPECT_EQ(outbox().size(), 1u);
  ask<shapes::stoker::CreatePipelineKeyResponse>("CreatePipelineKey",
                                                 shapes::stoker::CreatePipelineKeyRequest{.pipeline = "ocr"});
  announce("RemoveJobs", shapes::stoker::RemoveJobs{pipeline_.number});
  with_call([&](Call& call) { delete_pipeline(call.tx, pipeline_.number); });
  EXPECT_TRUE(woke(kJobSweepTopic));
  EXPECT_EQ(count_rows("pipeline_keys"), 0);
  const Pipeline again = add_pipeline("ocr");  // may get the same number
  EXPECT_EQ(with_call([&](Call& call) { return count_jobs(call.tx, again.number).queued; }), 0);
  sweep();
  EXPECT_EQ(count_rows("pipeline_jobs"), 0);
  EXPECT_EQ(count_rows("pipeline_deliveries"), 0);
  EXPECT_EQ(count_rows("pipeline_job_lots"), 0);
  EXPECT_THAT(outbox(), IsEmpty());
}

}  // namespace
}  // namespace services::pipelines
