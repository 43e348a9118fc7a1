// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/jobs/job_delivery.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "services/pipelines/jobs/jobs_fixture.h"
#include "shapes/stoker/job.h"
#include "shapes/stoker/webhook.h"
#include "webhooks/signature.h"

namespace services::pipelines {
namespace {

namespace json = boost::json;
using shapes::stoker::WebhookAttempted;
using shapes::stoker::WebhookFinished;
using testing::IsEmpty;

class JobDeliveries : public JobsTest {
 protected:
  JobDeliveries() { set_webhook("https://receiver.example/hook"); }

  void end_one(const std::string& content = R"({"n": 1.50})") {
    put_object("in/a.png", "01");
    put_object("out/a.png.json", "02", content, "01");
  }
  std::vector<JobDelivery> deliveries() {
    const Job job = job_of("in/a.png");
    return with_call([&](Call& call) { return list_deliveries(call.tx, job.number); });
  }
  JobDelivery resend(const std::string& delivery) {
    const Job job = job_of("in/a.png");
    return with_call([&](Call& call) { return resend_delivery(call, pipeline_, job, delivery); });
  }
  json::object document() {
    const Job job = job_of("in/a.png");
    return json::parse(with_call([&](Call& call) { return job_document(call.tx, pipeline_, job); })).as_object();
  }
};

TEST_F(JobDeliveries, AResultIsSentWithTheJobInTheSameTransaction) {
  end_one();
  const Job job = job_of("in/a.png");
  const auto sent = outbox();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(woke(webhooks::kTopic));
  EXPECT_EQ(sent[0].message_id, "msg_ocr_" + job.id);
  EXPECT_EQ(sent[0].url, "https://receiver.example/hook");
  EXPECT_EQ(sent[0].endpoint, "https://receiver.example:443");
  EXPECT_TRUE(webhooks::decode_secret(sent[0].secret));
  const json::value body = json::parse(sent[0].body);
  EXPECT_EQ(body.at("type").as_string(), "job.succeeded");
  EXPECT_EQ(body.at("data").at("task_id").as_string(), job.id);
  EXPECT_EQ(body.at("data").at("result_location").at("key").as_string(), "out/a.png.json");
  EXPECT_NE(sent[0].body.find(R"("result":{"n": 1.50}})"), std::string::npos);  // as it was written
  EXPECT_EQ(document().at("webhook").at("status").as_string(), "PENDING");
}

TEST_F(JobDeliveries, AResultThatIsTooLargeOrNoJsonIsOnlyNamed) {
  end_one("");
  EXPECT_TRUE(json::parse(outbox().at(0).body).at("data").at("result").is_null());
  put_object("in/b.png", "03");
  put_object("out/b.png.json", "04", "{]", "03");
  EXPECT_TRUE(json::parse(outbox().at(1).body).at("data").at("result").is_null());
}

TEST_F(JobDeliveries, AFailureIsSentWithItsError) {
  put_object("in/a.png", "01");
  dead_letter("message-1", 3);
  const json::value body = json::parse(outbox().at(0).body);
  EXPECT_EQ(body.at("type").as_string(), "job.failed");
  EXPECT_EQ(body.at("data").at("error").at("type").as_string(), "NoAnswer");
  EXPECT_TRUE(body.at("data").at("result").is_null());
}

TEST_F(JobDeliveries, CancellingSendsNothing) {
  put_object("in/a.png", "01");
  put_object("in/a.png", "02");
  EXPECT_THAT(outbox(), IsEmpty());
}

TEST_F(JobDeliveries, TheUrlOfAJobWinsAndNeedsNoWebhookOfThePipeline) {
  set_webhook("");
  submit({.id = "mine.1", .filename = "a.png", .content_hash = "h", .webhook_url = "http://other.example/"});
  put_object("out/mine.1/a.png.json", "02", "{}", "01");
  ASSERT_EQ(outbox().size(), 1u);
  EXPECT_EQ(outbox()[0].url, "http://other.example/");
  EXPECT_EQ(outbox()[0].message_id, "msg_ocr_mine%2E1");
  EXPECT_TRUE(webhooks::decode_secret(outbox()[0].secret));
  submit({.id = "two", .filename = "a.png", .content_hash = "h", .webhook_url = "http://other.example/"}, "05");
  put_object("out/two/a.png.json", "06", "{}", "05");
  EXPECT_EQ(outbox()[1].secret, outbox()[0].secret);
  const auto answer = ask<shapes::stoker::GetWebhookSecretResponse>("GetWebhookSecret",
                                                                  shapes::stoker::GetWebhookSecretRequest{"ocr"});
  EXPECT_EQ(answer.secret, outbox()[0].secret);
}

TEST_F(JobDeliveries, AttemptsAndTheEndAreRecorded) {
  end_one();
  const std::string context = outbox()[0].context;
  const base::Time next = now_ + std::chrono::seconds(5);
  announce("WebhookAttempted", WebhookAttempted{context, "status 500", 1, 500, next});
  JobDelivery delivery = deliveries().at(0);
  EXPECT_EQ(delivery.status, "PENDING");
  EXPECT_EQ(delivery.attempts, 1);
  EXPECT_EQ(delivery.error, "status 500");
  EXPECT_EQ(delivery.response_status, 500);
  EXPECT_EQ(delivery.next_attempt_at, next);
  EXPECT_EQ(document().at("webhook").at("error").as_string(), "status 500");
  EXPECT_EQ(error_of([&] { resend(std::to_string(delivery.number)); }), "ConflictException");
  advance(std::chrono::seconds(5));
  announce("WebhookFinished", WebhookFinished{context, true, "", 2, 204});
  delivery = deliveries().at(0);
  EXPECT_EQ(delivery.status, "DELIVERED");
  EXPECT_EQ(delivery.attempts, 2);
  EXPECT_EQ(delivery.response_status, 204);
  EXPECT_EQ(delivery.finished_at, now_);
  EXPECT_EQ(delivery.next_attempt_at, std::nullopt);
  EXPECT_EQ(document().at("webhook").at("status").as_string(), "DELIVERED");
  EXPECT_TRUE(document().at("webhook").at("error").is_null());
}

TEST_F(JobDeliveries, ADeliveryIsSentAgainWithTheSameIdAndBody) {
  end_one();
  const auto first = outbox()[0];
  with_call([&](Call& call) { webhooks::remove_delivery(call.tx, first.id); });
  announce("WebhookFinished", WebhookFinished{first.context, false, "gone", 10, 410});
  resend(std::to_string(deliveries().at(0).number));
  ASSERT_EQ(outbox().size(), 1u);
  EXPECT_EQ(outbox()[0].message_id, first.message_id);
  EXPECT_EQ(outbox()[0].body, first.body);
  EXPECT_NE(outbox()[0].context, first.context);
  EXPECT_EQ(deliveries().size(), 2u);
  EXPECT_EQ(error_of([&] { resend("999"); }), "ResourceNotFoundException");
  EXPECT_EQ(error_of([&] { resend("x"); }), "ResourceNotFoundException");
}

TEST_F(JobDeliveries, AnotherEndingHasAnotherId) {
  put_object("in/a.png", "01");
  dead_letter("message-1", 3);
  put_object("out/a.png.json", "02", "{}", "01");
  const Job job = job_of("in/a.png");
  EXPECT_EQ(outbox().at(0).message_id, "msg_ocr_" + job.id);
  EXPECT_EQ(outbox().at(1).message_id, "msg_ocr_" + job.id + "~2");
}

}  // namespace
}  // namespace services::pipelines
