// SPDX-License-Identifier: Apache-2.0
// The parts of the worker that only compute.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/child.h"
#include "worker/event.h"
#include "worker/exec_processor.h"
#include "worker/feed.h"
#include "worker/lines.h"
#include "worker/window.h"

namespace worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Event, NamesTheObjectsThatWereCreated) {
  auto objects = parse_event(
      R"({"Records":[{"eventSource":"aws:s3","eventName":"ObjectCreated:Put","s3":{"bucket":{"name":"b"},"object":{"key":"in/a+b%2F%C3%A4","size":5,"sequencer":"0A"}}},)"
      R"({"eventName":"ObjectRemoved:Delete","s3":{"bucket":{"name":"b"},"object":{"key":"gone"}}},)"
      R"({"eventName":"ObjectCreated:CompleteMultipartUpload","s3":{"bucket":{"name":"c"},"object":{"key":"in/2"}}}]})");
  ASSERT_TRUE(objects) << objects.error();
  ASSERT_EQ(objects->size(), 2u);
  EXPECT_EQ((*objects)[0].key, "in/a b/ä");
  EXPECT_EQ((*objects)[0].sequencer, "0A");
  EXPECT_EQ((*objects)[1].bucket, "c");
}

TEST(Event, MayComeInTheEnvelopeOfATopic) {
  auto objects = parse_event(
      R"({"Type":"Notification","Message":"{\"Records\":[{\"eventName\":\"ObjectCreated:Put\",\"s3\":{\"bucket\":{\"name\":\"b\"},\"object\":{\"key\":\"k\"}}}]}"})");
  ASSERT_TRUE(objects) << objects.error();
  EXPECT_EQ(objects->at(0).key, "k");
}

TEST(Event, OfATestHasNoObjects) {
  auto objects = parse_event(R"({"Service":"Amazon S3","Event":"s3:TestEvent","Bucket":"b"})");
  ASSERT_TRUE(objects);
  EXPECT_THAT(*objects, IsEmpty());
}

TEST(Event, RejectsEverythingElse) {
  for (const char* body : {"", "hello", "[]", "{}", R"({"Records":1})", R"({"Records":[{"eventName":"ObjectCreated:Put"}]})",
                           R"({"Records":[{"eventSource":"aws:ses","eventName":"ObjectCreated:Put"}]})",
                           R"({"Records":[{"eventName":"ObjectCreated:Put","s3":{"bucket":{"name":"b"},"object":{"key":"%zz"}}}]})"}) {
    EXPECT_FALSE(parse_event(body)) << body;
  }
}

TEST(Sequencer, OrdersByTheFirstDigitThatDiffers) {
  EXPECT_TRUE(is_older("0055AED6DCD90281E5", "0055AED6DCD90281E6"));
  EXPECT_FALSE(is_older("0055AED6DCD90281E5", "0055aed6dcd90281e5"));
  EXPECT_TRUE(is_older("", "01"));
  EXPECT_FALSE(is_older("01", ""));
  EXPECT_FALSE(is_older("0100", "01"));
  EXPECT_TRUE(is_older("01", "0101"));
}

Item item_named(const std::string& key) {
  Item item;
  item.id = "7";
  item.bucket = "b";
  item.key = key;
  item.input = "/tmp/7-a.png";
  item.content_type = "image/png";
  item.metadata = {{"who", "me"}};
  return item;
}

TEST(Line, DescribesAnItem) {
  EXPECT_EQ(request_line(item_named("in/\"a\".png"), 1, 8),
            R"({"id":"7","input":"/tmp/7-a.png","bucket":"b","key":"in/\"a\".png","content_type":"image/png",)"
            R"("metadata":{"who":"me"},"batch":{"index":1,"size":8}})"
            "\n");
}

std::string result_in(std::string_view line) {
  auto answer = parse_answer_line(line);
  if (!answer) return "error: " + answer.error();
  if (const auto* failure = std::get_if<Failure>(&answer->answer)) return failure->type + ": " + failure->message;
  return answer->id + "=" + std::get<Result>(answer->answer).json;
}

TEST(Line, KeepsTheTextOfAResult) {
  EXPECT_EQ(result_in(R"({"id":"7","result":1.10})"), "7=1.10");
  EXPECT_EQ(result_in(R"( { "result" : { "a" : [ "}", "\"]" ] } , "id" : "7" } )"), R"(7={ "a" : [ "}", "\"]" ] })");
  EXPECT_EQ(result_in(R"({"id":"7","result":null})"), "7=null");
  EXPECT_EQ(result_in(R"({"id":"7","error":null,"result":"x"})"), R"(7="x")");
  EXPECT_EQ(result_in(R"({"x":{"result":1},"id":"7","result":2})"), "7=2");
  EXPECT_EQ(result_in(R"({"id":"7","\u0072esult":2})"), "7=2");
}

TEST(Line, ReadsErrors) {
  EXPECT_EQ(result_in(R"({"id":"7","error":"dark"})"), "Error: dark");
  EXPECT_EQ(result_in(R"({"id":"7","error":{"type":"T","message":"m"}})"), "T: m");
  EXPECT_EQ(result_in(R"({"id":"7","error":{"message":5}})"), "Error: 5");
  EXPECT_THAT(result_in(R"({"id":"7"})"), HasSubstr("InvalidAnswer"));
}

TEST(Line, RejectsWhatHasNoId) {
  for (const char* line : {"x", "[]", "{}", R"({"id":7,"result":1})", R"({"id":"7","result":1}})", "{\"id\":\"\xff\"}"}) {
    EXPECT_THAT(result_in(line), testing::StartsWith("error: ")) << line;
  }
}

TEST(Output, OfACommandIsKeptIfItIsJson) {
  EXPECT_EQ(result_of_output("{\"a\": 1}\n"), "{\"a\": 1}\n");
  EXPECT_EQ(result_of_output("hello\n"), R"({"output":"hello\n"})");
  EXPECT_EQ(result_of_output(""), R"({"output":""})");
  EXPECT_EQ(result_of_output("a\xff"), "{\"output\":\"a\xEF\xBF\xBD\"}");
}

class FeedTest : public testing::Test {
 protected:
  Feed next() { return next_feed(rules_, state_, now_); }

  FeedRules rules_{4, std::chrono::milliseconds(20)};
  FeedState state_;
  Steady::time_point now_ = Steady::time_point(std::chrono::hours(1));
};

TEST_F(FeedTest, AFullBatchGoesAtOnceAndOneMoreAhead) {
  state_ = {.ready = 4, .since = now_};
  EXPECT_EQ(next().items, 4u);
  state_.batches = 1;
  EXPECT_EQ(next().items, 4u);
  state_.batches = kBatchesAhead;
  EXPECT_EQ(next().items, 0u);
}

TEST_F(FeedTest, AnIncompleteBatchWaitsForMoreButNotForLong) {
  state_ = {.ready = 3, .since = now_};
  EXPECT_EQ(next().items, 0u);
  EXPECT_EQ(next().look_at, now_ + std::chrono::milliseconds(20));
  now_ += std::chrono::milliseconds(20);
  EXPECT_EQ(next().items, 3u);
}

TEST_F(FeedTest, AnIncompleteBatchIsNotWrittenAhead) {
  state_ = {.ready = 3, .since = now_ - std::chrono::hours(1), .batches = 1};
  EXPECT_EQ(next().items, 0u);
  EXPECT_FALSE(next().look_at);
}

TEST_F(FeedTest, AnItemUnderSuspicionHasTheProcessForItself) {
  state_ = {.ready = 1, .alone = true, .since = now_, .batches = 1};
  EXPECT_EQ(next().items, 0u);
  state_.batches = 0;
  EXPECT_EQ(next().items, 1u);
  state_ = {.ready = 4, .since = now_, .batches = 1, .holds_alone = true};
  EXPECT_EQ(next().items, 0u);
}

TEST(WindowTest, FollowsTheRateOfAnswers) {
  Window window({2, 100});
  auto now = Window::Time(std::chrono::hours(1));
  EXPECT_EQ(window.size(now), 2u);
  for (int i = 0; i < 50; ++i) window.answered(now + std::chrono::milliseconds(i));
  EXPECT_EQ(window.size(now + std::chrono::milliseconds(60)), 50u);
  EXPECT_EQ(window.size(now + std::chrono::milliseconds(300)), 50u);
  EXPECT_EQ(window.size(now + std::chrono::milliseconds(700)), 2u);
  for (int i = 0; i < 500; ++i) window.answered(now + std::chrono::seconds(2));
  EXPECT_EQ(window.size(now + std::chrono::seconds(2)), 100u);
}

TEST(Command, HasItsPathsInQuotes) {
  EXPECT_EQ(exec_command("a {input} -o {output} {input}", "/x y/it's", "/o"), R"(a '/x y/it'\''s' -o '/o' '/x y/it'\''s')");
}

}  // namespace
}  // namespace worker
