// SPDX-License-Identifier: Apache-2.0
#include "doors/jobs/jobs_door.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "doors/jobs/jobs_door_fixture.h"

namespace doors::jobs {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string body_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }
json::value document_of(const std::string& answer) { return json::parse(body_of(answer)); }

const base::Headers kForm = {{"Content-Type", "multipart/form-data; boundary=cut"}};

std::string part(const std::string& name, const std::string& value) {
  return "--cut\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
}
std::string file_part(const std::string& bytes) {
  return "--cut\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../a b.png\"\r\nContent-Type: image/png\r\n\r\n" +
         bytes + "\r\n";
}

TEST_F(JobsDoorTest, TheCredentialsOfATaskMayNotBeUsed) {
  EXPECT_THAT(ask_signed("POST", "/pipelines/ocr/jobs?id=mine", "x"), StartsWith("HTTP/1.1 202"));
  state::Key of_task = state::new_session_key(key_, clock_.now(), clock_.now() + std::chrono::hours(1));
  of_task.scope = state::KeyScope::Task;
  store_->write_now([&](store::Tx& tx) { state::insert_key(tx, of_task); });
  key_ = of_task;
  for (const char* method : {"GET", "DELETE"}) {
    const std::string answer = ask_signed(method, "/jobs/mine");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 403"));
    EXPECT_THAT(answer, HasSubstr("credentials of a task"));
  }
  EXPECT_THAT(ask_signed("POST", "/pipelines/ocr/jobs", "x"), StartsWith("HTTP/1.1 403"));
}

TEST_F(JobsDoorTest, ARawBodyIsAJobWithItsInputInTheBucket) {
  const std::string answer = ask("POST", "/pipelines/ocr/jobs?id=one&filename=a.txt&priority=3&metadata.k=v", "hello",
                                 {{"Content-Type", "text/plain"}});
  ASSERT_THAT(answer, StartsWith("HTTP/1.1 202"));
  EXPECT_THAT(answer, HasSubstr("Location: /jobs/one\r\n"));
  const json::value job = document_of(answer);
  EXPECT_EQ(job.at("task_id").as_string(), "one");
  EXPECT_EQ(job.at("status").as_string(), "QUEUED");
  EXPECT_EQ(job.at("priority").as_int64(), 3);
  EXPECT_EQ(job.at("metadata").at("k").as_string(), "v");
  EXPECT_EQ(job.at("input").at("key").as_string(), "in/one/a.txt");
  EXPECT_EQ(job.at("input").at("size").as_int64(), 5);
  EXPECT_EQ(job.at("input").at("content_type").as_string(), "text/plain");
  EXPECT_EQ(document_of(ask("GET", "/jobs/one")), job);
}

TEST_F(JobsDoorTest, AFormIsAJobWhereverItsFieldsAre) {
  const std::string answer = ask("POST", "/pipelines/ocr/jobs",
                                 part("id", "f") + file_part("bytes") + part("metadata", R"({"a":"b"})") + "--cut--\r\n", kForm);
  ASSERT_THAT(answer, StartsWith("HTTP/1.1 202"));
  const json::value job = document_of(answer);
  EXPECT_EQ(job.at("input").at("key").as_string(), "in/f/a b.png");
  EXPECT_EQ(job.at("input").at("size").as_int64(), 5);
  EXPECT_EQ(job.at("input").at("content_type").as_string(), "image/png");
  EXPECT_EQ(job.at("metadata").at("a").as_string(), "b");
}

TEST_F(JobsDoorTest, RequestsAreCountedByTheirAction) {
  ask("POST", "/pipelines/ocr/jobs?id=one", "hello");
  ask("GET", "/jobs/one");
  ask("GET", "/jobs/one");
  ask("GET", "/jobs/missing");
  const std::string counted = metrics_.text({});
  EXPECT_THAT(counted, HasSubstr("stoker_request_seconds_count{operation=\"SubmitJob\",service=\"pipelines\"} 1"));
  EXPECT_THAT(counted, HasSubstr("stoker_request_seconds_count{operation=\"ShowJob\",service=\"pipelines\"} 2"));
}

TEST_F(JobsDoorTest, ARejectedFormLeavesNothing) {
  const std::string large(300000, 'x');
  EXPECT_THAT(ask("POST", "/pipelines/ocr/jobs", file_part(large) + part("priority", "high") + "--cut--\r\n", kForm),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask("POST", "/pipelines/ocr/jobs", file_part(large) + part("id", "x"), kForm), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask("POST", "/pipelines/ocr/jobs", part("id", "x") + "--cut--\r\n", kForm), HasSubstr("exactly one field"));
  EXPECT_EQ(document_of(ask("GET", "/jobs")).at("jobs").as_array().size(), 0u);
  settle();
  EXPECT_TRUE(files().empty());
}

TEST_F(JobsDoorTest, TheSameIdWithOtherBytesIsAConflict) {
  const std::string large(300000, 'x');
  EXPECT_THAT(ask("POST", "/pipelines/ocr/jobs", large, {{"Idempotency-Key", "one"}}), StartsWith("HTTP/1.1 202"));
  EXPECT_THAT(ask("POST", "/pipelines/ocr/jobs", large, {{"Idempotency-Key", "one"}}), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("POST", "/pipelines/ocr/jobs", large + "y", {{"Idempotency-Key", "one"}}), StartsWith("HTTP/1.1 409"));
  settle();
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(JobsDoorTest, ErrorsAreProblems) {
  const std::string answer = ask("GET", "/jobs/missing");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(answer, HasSubstr("Content-Type: application/problem+json"));
  const json::value problem = document_of(answer);
  EXPECT_EQ(problem.at("status").as_int64(), 404);
  EXPECT_EQ(problem.at("title").as_string(), "Not Found");
  EXPECT_EQ(problem.at("detail").as_string(), "There is no job 'missing'.");
  EXPECT_THAT(ask("GET", "/jobs/a/b/c"), StartsWith("HTTP/1.1 404"));
  const std::string wrong_method = ask("DELETE", "/pipelines/ocr/jobs");
  EXPECT_THAT(wrong_method, StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(wrong_method, HasSubstr("Allow: POST, GET\r\n"));
  EXPECT_THAT(ask("GET", "/jobs?limit=0"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask("GET", "/jobs?unknown=1"), HasSubstr("There is no parameter 'unknown'."));
  EXPECT_THAT(ask("POST", "/pipelines/ocr/jobs?id=a%2Fb", "x"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask("POST", "/pipelines/ocr/jobs", "", {{"Content-Length", "5368709121"}}), StartsWith("HTTP/1.1 413"));
}

TEST_F(JobsDoorTest, WithoutAValidKeyThereIsNothing) {
  const std::string answer = send("GET", "/jobs");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(answer, HasSubstr("WWW-Authenticate: Bearer"));
  EXPECT_THAT(send("GET", "/jobs", {{"Authorization", "Bearer stk_x"}}), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(send("POST", "/pipelines/ocr/jobs", {{"Authorization", "Bearer " + secret_ + "x"}}, "x"),
              StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(ask("GET", "/jobs", "", {{"Authorization", "Bearer " + secret_}}), StartsWith("HTTP/1.1 200"));
  const std::string two = send("GET", "/jobs", {{"Authorization", "Bearer " + secret_}, {"authorization", "Bearer x"}});
  EXPECT_THAT(two, StartsWith("HTTP/1.1 400"));
}

TEST_F(JobsDoorTest, AKeyDoesNotOpenAnotherPipeline) {
  const std::string other = add_pipeline("other");
  ask("POST", "/pipelines/ocr/jobs?id=mine", "x");
  const base::Headers stranger = {{"Authorization", "Bearer " + other}};
  for (const char* target : {"/jobs/mine", "/jobs/mine/result", "/jobs/mine/events", "/pipelines/ocr",
                             "/pipelines/ocr/jobs", "/pipelines/ocr/events", "/jobs?pipeline=ocr"}) {
    EXPECT_THAT(send("GET", target, stranger), StartsWith("HTTP/1.1 404")) << target;
  }
  EXPECT_THAT(send("POST", "/pipelines/ocr/jobs", stranger, "x"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(send("POST", "/jobs/mine/cancel", stranger), StartsWith("HTTP/1.1 404"));
}

TEST_F(JobsDoorTest, SignedRequestsSeeAllPipelinesOfTheAccount) {
  EXPECT_THAT(ask_signed("POST", "/pipelines/ocr/jobs?id=mine", "x"), StartsWith("HTTP/1.1 202"));
  EXPECT_THAT(ask_signed("GET", "/jobs/mine"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask_signed("GET", "/jobs/mine", "", "sqs"), StartsWith("HTTP/1.1 401"));
  http::Request request{{"POST", "/pipelines/ocr/jobs", {{"Host", host()}}}, "signed"};
  signing::sign(request, {key_.id, key_.secret, ""}, "us-east-1", "pipelines", clock_.now());
  EXPECT_THAT(send("POST", "/pipelines/ocr/jobs", request.head.headers, "forged"), Not(HasSubstr("202 Accepted")));
  EXPECT_THAT(ask_signed("POST", "/pipelines/ocr/jobs?id=2", "x", "pipelines",
                         {{"x-amz-content-sha256", "UNSIGNED-PAYLOAD"}}),
              StartsWith("HTTP/1.1 202"));
}

TEST_F(JobsDoorTest, AResultIsServedWhenItExists) {
  ask("POST", "/pipelines/ocr/jobs?id=one&filename=a", "x");
  const std::string early = ask("GET", "/jobs/one/result");
  EXPECT_THAT(early, StartsWith("HTTP/1.1 409"));
  EXPECT_EQ(document_of(early).at("job_status").as_string(), "QUEUED");
  http::RawClient waiting(server_.port());
  waiting.send(text_of("GET", "/jobs/one", {{"Authorization", "Bearer " + secret_}, {"Prefer", "wait=60"}}));
  finish("in/one/a", R"({"text":"done"})");
  const std::string waited = waiting.read_answer();
  EXPECT_THAT(waited, HasSubstr("Preference-Applied: wait=60"));
  EXPECT_THAT(waited, HasSubstr("SUCCEEDED"));
  EXPECT_THAT(ask("POST", "/jobs/one/cancel"), StartsWith("HTTP/1.1 409"));
  EXPECT_THAT(ask("POST", "/jobs/one/retry"), StartsWith("HTTP/1.1 409"));
  EXPECT_THAT(ask("GET", "/jobs/one/result"), StartsWith("HTTP/1.1 409"));  // nobody wrote the object itself
}

TEST_F(JobsDoorTest, CancelAndRetryAnswerTheJob) {
  ask("POST", "/pipelines/ocr/jobs?id=one&filename=a", "x");
  EXPECT_THAT(ask("POST", "/jobs/one/cancel"), HasSubstr("CANCELLED"));
  const std::string again = ask("POST", "/jobs/one/retry");
  EXPECT_THAT(again, StartsWith("HTTP/1.1 202"));
  EXPECT_THAT(again, HasSubstr("QUEUED"));
}

TEST_F(JobsDoorTest, EventsOfAJobEndWithIt) {
  ask("POST", "/pipelines/ocr/jobs?id=one&filename=a", "x");
  http::RawClient client(server_.port());
  client.send(text_of("GET", "/jobs/one/events", {{"Authorization", "Bearer " + secret_}, {"Connection", "close"}}));
  EXPECT_THAT(client.read_until("QUEUED"), HasSubstr("Content-Type: text/event-stream"));
  finish("in/one/a", "{}");
  const std::string rest = client.read_to_end();
  EXPECT_THAT(rest, HasSubstr("event: job\ndata: {"));
  EXPECT_THAT(rest, HasSubstr("SUCCEEDED"));
}

TEST_F(JobsDoorTest, EventsOfAPipelineContinueAfterTheLastOne) {
  ask("POST", "/pipelines/ocr/jobs?id=one&filename=a", "x");
  ask("POST", "/pipelines/ocr/jobs?id=two&filename=a", "x");
  http::RawClient client(server_.port());
  client.send(text_of("GET", "/pipelines/ocr/events", {{"Authorization", "Bearer " + secret_}, {"Last-Event-ID", "1"}}));
  EXPECT_THAT(client.read_until("\n\n\r\n"), Not(HasSubstr("\"one\"")));
  EXPECT_THAT(client.read_until("\"two\""), Not(HasSubstr("\"one\"")));
  finish("in/one/a", "{}");
  EXPECT_THAT(client.read_until("SUCCEEDED"), HasSubstr("\"one\""));
  EXPECT_THAT(ask("GET", "/pipelines/ocr/events", "", {{"Last-Event-ID", "x"}}), StartsWith("HTTP/1.1 400"));
}

TEST_F(JobsDoorTest, APipelineShowsItsCounts) {
  ask("POST", "/pipelines/ocr/jobs?id=one&filename=a", "x");
  const json::value summary = document_of(ask("GET", "/pipelines/ocr"));
  EXPECT_EQ(summary.at("queued").as_int64(), 1);
  EXPECT_EQ(summary.at("name").as_string(), "ocr");
}

TEST_F(JobsDoorTest, WebhooksOfAJobAreListedAndSentAgain) {
  ask("POST", "/pipelines/ocr/jobs?id=one&filename=a&webhook=http%3A%2F%2F127.0.0.1%3A9%2Fhook", "x");
  finish("in/one/a", "{}");
  const json::value listed = document_of(ask("GET", "/jobs/one/deliveries"));
  ASSERT_EQ(listed.at("deliveries").as_array().size(), 1u);
  const json::value& delivery = listed.at("deliveries").as_array()[0];
  EXPECT_EQ(delivery.at("webhook_id").as_string(), "msg_ocr_one");
  EXPECT_EQ(delivery.at("status").as_string(), "PENDING");
  EXPECT_THAT(ask("POST", "/jobs/one/deliveries/" + std::string(delivery.at("id").as_string()) + "/resend"),
              StartsWith("HTTP/1.1 409"));
  EXPECT_THAT(ask("POST", "/jobs/one/deliveries/77/resend"), StartsWith("HTTP/1.1 404"));
}

}  // namespace
}  // namespace doors::jobs
