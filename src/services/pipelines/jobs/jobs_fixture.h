// SPDX-License-Identifier: Apache-2.0
// Test support: jobs of a pipeline on a database of their own, with the operations of S3 and SQS that they invoke.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/random.h"
#include "services/directory.h"
#include "services/invoke.h"
#include "services/pipelines/jobs/job_requests.h"
#include "services/pipelines/module.h"
#include "shapes/stoker/pipeline_hooks.h"
#include "state/cluster.h"
#include "store/test_store.h"
#include "webhooks/outbox.h"
#include "wire/error.h"

namespace services::pipelines {

// In Locals, where the fake operations find it.
struct FakeServices {
  std::vector<shapes::stoker::RemoveMessage> removed;
  std::vector<shapes::stoker::PrioritizeMessage> prioritized;
  std::vector<shapes::stoker::BuryMessage> buried;
  std::vector<std::string> missing;  // messages that are no longer in the queue
  bool input_exists = true;
  int messages = 0;
};

inline constexpr char kBucket[] = "stoker-ocr-111111111111";
inline constexpr char kQueue[] = "arn:aws:sqs:us-east-1:111111111111:stoker-ocr";
inline constexpr char kFailedQueue[] = "arn:aws:sqs:us-east-1:111111111111:stoker-ocr-failed";

inline void fake_remove_message(Call& call, const shapes::stoker::RemoveMessage& request) {
  call.local<FakeServices>().removed.push_back(request);
}

inline void fake_bury_message(Call& call, const shapes::stoker::BuryMessage& request) {
  call.local<FakeServices>().buried.push_back(request);
}

inline shapes::stoker::MissingMessages fake_find_missing(Call& call, const shapes::stoker::FindMissingMessages& request) {
  const std::vector<std::string>& missing = call.local<FakeServices>().missing;
  shapes::stoker::MissingMessages found;
  for (const auto& sent : request.messages) {
    if (std::find(missing.begin(), missing.end(), sent.messageId) != missing.end()) {
      found.messageIds.push_back(sent.messageId);
    }
  }
  return found;
}

inline void fake_prioritize_message(Call& call, const shapes::stoker::PrioritizeMessage& request) {
  call.local<FakeServices>().prioritized.push_back(request);
}

// As S3 does: the event, then ObjectCreated.
inline shapes::stoker::AnnouncedObject fake_announce_object(Call& call, const shapes::stoker::AnnounceObject& request) {
  FakeServices& fake = call.local<FakeServices>();
  if (!fake.input_exists) return {};
  shapes::stoker::ObjectCreated created;
  created.bucket = request.bucket;
  created.key = request.key;
  created.sequencer = request.sequencer;
  created.events = {{kQueue, "message-" + std::to_string(++fake.messages)}};
  invoke(call, as_service(call, "s3.amazonaws.com", "", "111111111111"), "pipelines", "ObjectCreated", created);
  return {.exists = true};
}

class JobsTest : public testing::Test {
 protected:
  JobsTest() : folder_(testing::TempDir() + "jobs-" + base::random_uuid()) {
    store_ = store::open_test_store(
        folder_, {module_.migrations, state::cluster_migrations(), {"stoker", {webhooks::kTables}}});
    directory_.add("pipelines", module_.service.operations);
    directory_.add("pipelines", module_.internal_operations);
    directory_.add("sqs", {operation<&fake_remove_message>("RemoveMessage", Access::Write),
                           operation<&fake_bury_message>("BuryMessage", Access::Write),
                           operation<&fake_find_missing>("FindMissingMessages", Access::Read),
                           operation<&fake_prioritize_message>("PrioritizeMessage", Access::Write)});
    directory_.add("s3", {operation<&fake_announce_object>("AnnounceObject", Access::Write)});
    pipeline_ = add_pipeline("ocr");
  }
  ~JobsTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  // Runs fn(call) in a transaction, and records its wakes.
  template <class Fn>
  auto with_call(Fn&& fn) {
    using Result = std::invoke_result_t<Fn, Call&>;
    if constexpr (std::is_void_v<Result>) {
      store_->write_now([&](store::Tx& tx) {
        Call call{tx, caller_, now_, now_, &locals_, &directory_};
        fn(call);
        wakes_ = call.wakes;
      });
    } else {
      std::optional<Result> result;
      with_call([&](Call& call) { result = fn(call); });
      return std::move(*result);
    }
  }
  template <class Output, class Input>
  Output ask(const char* operation, const Input& input) {
    return with_call([&](Call& call) { return invoke<Output>(call, caller_, "pipelines", operation, input); });
  }
  template <class Input>
  void announce(const char* operation, const Input& input) {
    with_call([&](Call& call) { invoke(call, caller_, "pipelines", operation, input); });
    announced_wakes_ = wakes_;
  }
  template <class Fn>
  std::string error_of(Fn&& fn) {
    try {
      fn();
    } catch (const wire::ApiError& error) {
      return error.code();
    }
    return "";
  }

  Pipeline add_pipeline(const std::string& name, const std::string& webhook = "") {
    Pipeline pipeline;
    pipeline.account = "111111111111";
    pipeline.region = "us-east-1";
    pipeline.name = name;
    pipeline.spec_json = R"({"min":0,"max":4})";
    pipeline.resources_json = "{}";
    pipeline.bucket = "stoker-" + name + "-111111111111";
    pipeline.queue_arn = "arn:aws:sqs:us-east-1:111111111111:stoker-" + name;
    pipeline.failed_queue_arn = pipeline.queue_arn + "-failed";
    pipeline.webhook_url = webhook;
    pipeline.retention_days = 30;
    pipeline.created_at = now_;
    with_call([&](Call& call) { insert_pipeline(call.tx, pipeline); });
    return pipeline;
  }
  void set_webhook(const std::string& url) {
    pipeline_.webhook_url = url;
    with_call([&](Call& call) { update_pipeline(call.tx, pipeline_); });
  }

  // An object of the pipeline's bucket. An input gets a message.
  void put_object(const std::string& key, const std::string& sequencer, const std::string& content = "",
                  const std::string& input_sequencer = "") {
    shapes::stoker::ObjectCreated created;
    created.bucket = kBucket;
    created.key = key;
    created.size = static_cast<std::int64_t>(content.size());
    created.contentType = "image/png";
    created.sequencer = sequencer;
    created.inputSequencer = input_sequencer;
    created.content = content;
    if (key.starts_with("in/")) created.events = {{kQueue, "message-" + std::to_string(++fake_.messages)}};
    announce("ObjectCreated", created);
  }
  void dead_letter(const std::string& message, std::int64_t receives) {
    announce("MessageDeadLettered", shapes::stoker::MessageDeadLettered{kQueue, message, receives});
  }
  // As the door does, with the object that it writes.
  Job submit(const NewJob& request, const std::string& sequencer = "01") {
    const Submission submission = with_call([&](Call& call) { return submit_job(call, pipeline_, request); });
    if (!submission.is_new) return submission.job;
    put_object(submission.job.input_key, sequencer);
    return with_call([&](Call& call) { return finish_submission(call, pipeline_, submission.job); });
  }
  Job job_of(const std::string& key) {
    return with_call([&](Call& call) {
      return list_jobs_of_key(call.tx, find_lot(call.tx, pipeline_.number), key, 1).at(0);
    });
  }
  Job job_named(const std::string& id) {
    return with_call([&](Call& call) { return *find_job(call.tx, find_lot(call.tx, pipeline_.number), id); });
  }
  JobCounts counts() {
    return with_call([&](Call& call) { return count_jobs(call.tx, pipeline_.number); });
  }
  // What the counts must be.
  JobCounts counted() {
    JobCounts all;
    with_call([&](Call& call) {
      call.tx.query("SELECT status, count(*) FROM pipeline_jobs WHERE lot = $1 GROUP BY status",
                    find_lot(call.tx, pipeline_.number))
          .each([&](const store::Row& row) {
            std::int64_t JobCounts::*const members[] = {&JobCounts::queued, &JobCounts::running, &JobCounts::succeeded,
                                                        &JobCounts::failed, &JobCounts::cancelled};
            all.*members[row.integer(0)] = row.integer(1);
          });
    });
    return all;
  }
  std::int64_t count_rows(const std::string& table) {
    return with_call([&](Call& call) { return call.tx.query("SELECT count(*) FROM " + table).integer(); });
  }
  std::vector<webhooks::Delivery> outbox() {
    return with_call([&](Call& call) { return webhooks::due_deliveries(call.tx, now_, {}, 100); });
  }
  // Whether the last announcement woke this topic.
  bool woke(const std::string& topic) const {
    return std::any_of(announced_wakes_.begin(), announced_wakes_.end(), [&](const Wake& wake) { return wake.topic == topic; });
  }
  // After every test the counts are right.
  void TearDown() override {
    const JobCounts kept = counts(), found = counted();
    EXPECT_EQ(kept.queued, found.queued);
    EXPECT_EQ(kept.running, found.running);
    EXPECT_EQ(kept.succeeded, found.succeeded);
    EXPECT_EQ(kept.failed, found.failed);
    EXPECT_EQ(kept.cancelled, found.cancelled);
  }
  // Turns of the loop until it has nothing to do.
  void sweep() { run_loop("pipeline jobs"); }
  void run_loop(const std::string& name) {
    const auto loop = std::find_if(module_.loops.begin(), module_.loops.end(),
                                   [&](const Loop& one) { return one.name == name; });
    for (int turn = 0; turn < 100; ++turn) {
      Decision decision;
      store_->read_now([&](store::Tx& tx) {
        Call call{tx, nobody_, now_, now_, &locals_, &directory_};
        decision = loop->look(call);
      });
      if (!decision.apply) return;
      with_call(decision.apply);
    }
    FAIL() << "the sweep does not end";
  }
  void advance(base::Duration duration) { now_ += duration; }

  std::string folder_;
  std::unique_ptr<store::Store> store_;
  Module module_ = module({});
  Locals locals_;
  Directory directory_;
  FakeServices& fake_ = locals_.add<FakeServices>();
  const Caller nobody_;
  Caller caller_{.account = "111111111111", .region = "us-east-1", .endpoint = "http://localhost:4566"};
  base::Time now_ = base::from_seconds(1800000000);
  std::vector<Wake> wakes_, announced_wakes_;
  Pipeline pipeline_;
};

}  // namespace services::pipelines
