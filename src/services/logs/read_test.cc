// SPDX-License-Identifier: Apache-2.0
// What depends on sealing, on pages that end early, and on time. tests/compat/logs has the rest.
#include <gmock/gmock.h>

#include "base/bytes.h"
#include "services/logs/event_pages.h"
#include "services/logs/event_pointer.h"
#include "services/logs/logs_fixture.h"
#include "telemetry/logs/expire.h"
#include "telemetry/logs/seal.h"

namespace services::logs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t kDayMs = 24 * 3600 * 1000;

class ReadTest : public LogsTest {
 protected:
  ReadTest() {
    make_group("web");
    make_stream("web", "a");
    make_stream("web", "b");
  }

  GetLogEventsResponse get(std::optional<std::string> token = {}, std::optional<std::int32_t> limit = {},
                           bool from_head = false) {
    GetLogEventsRequest request{.logGroupName = "web", .logStreamName = "a"};
    request.nextToken = std::move(token);
    request.limit = limit;
    request.startFromHead = from_head;
    return run<GetLogEventsResponse>("GetLogEvents", request);
  }
  FilterLogEventsResponse filter(const FilterLogEventsRequest& request) {
    return run<FilterLogEventsResponse>("FilterLogEvents", request);
  }
  template <class Response>
  static std::vector<std::string> messages(const Response& response) {
    std::vector<std::string> all;
    for (const auto& event : *response.events) all.push_back(*event.message);
    return all;
  }
  // Seals everything, as if the group were old enough.
  void seal() {
    const base::Time was = now_;
    now_ += telemetry::kSealAfter;
    take_turn("logs seal");
    now_ = was;
    take_turn("logs seal");
    EXPECT_EQ(count_rows("log_batches"), 0);
  }
  void put_noise(int megabytes) {
    for (int i = 0; i < megabytes; ++i) put("web", "b", {{0, base::to_hex(base::random_bytes(500000))}});
  }
};

TEST_F(ReadTest, TokensLeadForwardAndBackwardAndRepeatAtTheEnds) {
  put("web", "a", {{1, "1"}, {2, "2"}, {3, "3"}});
  put("web", "b", {{2, "other"}});
  put("web", "a", {{4, "4"}, {5, "5"}});
  for (int round = 0; round < 2; ++round) {
    auto page = get({}, 2);
    EXPECT_THAT(messages(page), ElementsAre("4", "5"));
    auto end = get(page.nextForwardToken);
    EXPECT_THAT(messages(end), IsEmpty());
    EXPECT_EQ(end.nextForwardToken, page.nextForwardToken);
    page = get(page.nextBackwardToken, 2);
    EXPECT_THAT(messages(page), ElementsAre("2", "3"));
    EXPECT_THAT(messages(get(page.nextForwardToken, 2)), ElementsAre("4", "5"));
    page = get(page.nextBackwardToken, 2);
    EXPECT_THAT(messages(page), ElementsAre("1"));
    auto begin = get(page.nextBackwardToken);
    EXPECT_THAT(messages(begin), IsEmpty());
    EXPECT_EQ(begin.nextBackwardToken, page.nextBackwardToken);
    EXPECT_THAT(messages(get(begin.nextForwardToken, 2)), ElementsAre("1", "2"));
    seal();
  }
}

TEST_F(ReadTest, AForwardTokenOfAnEmptyStreamSeesItsFirstEvents) {
  const auto empty = get();
  EXPECT_TRUE(empty.nextForwardToken && empty.nextBackwardToken);
  EXPECT_EQ(get(empty.nextForwardToken).nextForwardToken, empty.nextForwardToken);
  EXPECT_EQ(get(empty.nextBackwardToken).nextBackwardToken, empty.nextBackwardToken);
  put("web", "a", {{0, "first"}});
  EXPECT_THAT(messages(get(empty.nextForwardToken)), ElementsAre("first"));
}

TEST_F(ReadTest, TokensAtTheEdgesAreAnErrorOrLeadToEmptyPages) {
  put("web", "a", {{0, "m"}});
  EXPECT_THAT(error_of([&] { get("b/" + std::string(38, '0') + std::string(18, '9') + "/s"); }),
              testing::HasSubstr("The specified nextToken is invalid."));
  const auto lowest = get("b/" + std::string(56, '0') + "/s");
  EXPECT_THAT(messages(lowest), IsEmpty());
  EXPECT_THAT(messages(get(lowest.nextForwardToken)), ElementsAre("m"));
  const auto highest = get("f/9223372036854775807" + std::string("9223372036854775807") + "100000000000000000/s");
  EXPECT_THAT(messages(highest), IsEmpty());
  EXPECT_THAT(messages(get(highest.nextBackwardToken)), ElementsAre("m"));
}

TEST_F(ReadTest, APageHasAMegabyteAtMost) {
  for (int i = 0; i < 3; ++i) put("web", "a", {{i, std::string(600000, static_cast<char>('a' + i))}});
  const auto first = get({}, {}, true);
  EXPECT_THAT(messages(first), SizeIs(1));
  EXPECT_EQ(messages(get(first.nextForwardToken))[0][0], 'b');
  EXPECT_EQ(messages(get())[0][0], 'c');
  const auto filtered = filter({.logGroupName = "web"});
  EXPECT_THAT(messages(filtered), SizeIs(1));
  FilterLogEventsRequest next{.logGroupName = "web"};
  next.nextToken = filtered.nextToken;
  EXPECT_EQ(messages(filter(next))[0][0], 'b');
}

TEST_F(ReadTest, APageThatEndsWithTheLastEventHasNoToken) {
  put("web", "a", {{1, "1"}, {3, "3"}});
  put("web", "b", {{2, "2"}});
  FilterLogEventsRequest request{.logGroupName = "web"};
  for (int round = 0; round < 2; ++round) {
    request.limit = 3;
    EXPECT_EQ(filter(request).nextToken, std::nullopt);
    request.limit = 2;
    EXPECT_NE(filter(request).nextToken, std::nullopt);
    EXPECT_EQ(get(get({}, 2, true).nextForwardToken).events->size(), 0u);
    seal();
  }
}

TEST_F(ReadTest, EventIdsStayTheSameWhenEventsAreSealed) {
  put("web", "a", {{0, "x"}, {0, "y"}});
  const auto before = filter({.logGroupName = "web"});
  seal();
  EXPECT_EQ(filter({.logGroupName = "web"}), before);
  EXPECT_EQ((*before.events)[0].eventId->size(), 56u);
  EXPECT_LT(*(*before.events)[0].eventId, *(*before.events)[1].eventId);
  EXPECT_THAT(*before.searchedLogStreams, IsEmpty());
  EXPECT_EQ(before.nextToken, std::nullopt);
}

TEST_F(ReadTest, AnEmptyPageOfALongSearchLeadsToTheMatch) {
  for (int minute = 0; minute < 10; ++minute) {
    put_noise(9);
    take_turn("logs seal");
    now_ += std::chrono::minutes(1);
  }
  put("web", "a", {{0, "short"}});
  FilterLogEventsRequest request{.logGroupName = "web", .filterPattern = "%z+|short%"};
  std::vector<std::string> found;
  int pages = 0;
  for (; pages < 10; ++pages) {
    const auto page = filter(request);
    for (const std::string& message : messages(page)) found.push_back(message);
    if (!page.nextToken) break;
    EXPECT_NE(page.nextToken, request.nextToken);
    request.nextToken = page.nextToken;
  }
  EXPECT_THAT(found, ElementsAre("short"));
  EXPECT_GE(pages, 1);
}

TEST_F(ReadTest, ExpiredEventsAreHiddenAtOnceAndDeletedByTheSweep) {
  put("web", "a", {{0, "old"}});
  put_noise(1);
  seal();
  now_ += std::chrono::milliseconds(2 * kDayMs);
  put("web", "a", {{0, "new"}});
  run<void>("PutRetentionPolicy", PutRetentionPolicyRequest{"web", 1});
  EXPECT_THAT(wakes_, testing::Contains("logs/sweep"));
  EXPECT_THAT(messages(filter({.logGroupName = "web"})), ElementsAre("new"));
  take_turn("logs sweep");
  EXPECT_EQ(count_rows("log_chunks"), 0);
  EXPECT_EQ(count_rows("log_dead_files"), 1);
  EXPECT_EQ(count_rows("log_heads WHERE stored_bytes = 29"), 1);
  now_ += telemetry::kDeadFileAge + std::chrono::seconds(1);
  take_turn("logs sweep");
  EXPECT_EQ(count_rows("log_dead_files"), 0);
  EXPECT_THAT(messages(filter({.logGroupName = "web"})), ElementsAre("new"));
  const auto answer = put("web", "a", {{-2 * kDayMs, "expired"}});
  EXPECT_EQ(answer.rejectedLogEventsInfo->expiredLogEventEndIndex, 1);
}

TEST_F(ReadTest, ADeletedGroupIsGoneAtOnceAndEmptiedInSlices) {
  for (int i = 0; i < 500; ++i) put("web", "a", {{i, "m"}});
  run<void>("DeleteLogGroup", DeleteLogGroupRequest{"web"});
  EXPECT_THAT(wakes_, testing::Contains("logs/sweep"));
  make_group("web");
  make_stream("web", "a");
  EXPECT_THAT(messages(get()), IsEmpty());
  take_turn("logs sweep");
  EXPECT_EQ(count_rows("log_batches"), 300);
  for (int turn = 0; turn < 5; ++turn) take_turn("logs sweep");
  EXPECT_EQ(count_rows("log_batches"), 0);
  EXPECT_EQ(count_rows("logs_groups"), 1);
  EXPECT_EQ(count_rows("logs_streams"), 1);
  EXPECT_EQ(count_rows("log_heads"), 1);
}

TEST_F(ReadTest, EventsOfADeletedStreamAreNotReturnedNotEvenToANewOneOfItsName) {
  put("web", "a", {{0, "gone"}});
  put("web", "b", {{0, "kept"}});
  run<void>("DeleteLogStream", DeleteLogStreamRequest{"web", "a"});
  make_stream("web", "a");
  EXPECT_THAT(messages(get()), IsEmpty());
  EXPECT_THAT(messages(filter({.logGroupName = "web"})), ElementsAre("kept"));
}

TEST_F(ReadTest, APointerFindsItsEventInItsOwnAccountOnly) {
  put("web", "a", {{0, R"({"level":"info","http":{"status":200}})"}});
  const std::int64_t group = with_call([](Call& call) { return require_group(call, "web").id; });
  const std::string pointer = to_text({group, {base::to_millis(now_), 1, 0}});
  const GetLogRecordRequest request{.logRecordPointer = pointer};
  const auto record = *run<GetLogRecordResponse>("GetLogRecord", request).logRecord;
  EXPECT_EQ(record.at("http.status"), "200");
  EXPECT_EQ(record.at("@logStream"), "a");
  EXPECT_EQ(record.at("@log"), "111111111111:web");
  caller_.account = "222222222222";
  EXPECT_THAT(error_of([&] { run<GetLogRecordResponse>("GetLogRecord", request); }),
              testing::StartsWith("ResourceNotFoundException"));
}

TEST_F(ReadTest, FieldsAreReportedByTheirFrequency) {
  put("web", "a", {{0, R"({"level":"info"})"}, {0, "text"}, {1, R"({"level":"info","user":{"id":1}})"}});
  const auto fields = *run<GetLogGroupFieldsResponse>("GetLogGroupFields", GetLogGroupFieldsRequest{.logGroupName = "web"})
                           .logGroupFields;
  std::map<std::string, int> percents;
  for (const auto& field : fields) percents[*field.name] = *field.percent;
  EXPECT_EQ(percents["@message"], 100);
  EXPECT_EQ(percents["level"], 67);
  EXPECT_EQ(percents["user.id"], 33);
  EXPECT_EQ(fields.back().name, "user.id");
}

}  // namespace
}  // namespace services::logs
