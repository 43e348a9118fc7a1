// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "services/logs/logs_fixture.h"

namespace services::logs {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr std::int64_t kHour = 3600 * 1000, kDay = 24 * kHour;

class PutLogEvents : public LogsTest {
 protected:
  PutLogEvents() {
    make_group("web");
    make_stream("web", "a");
  }
};

TEST_F(PutLogEvents, EventsWakeTheFollowersOfTheGroupAndTheFirstOnesTheSealer) {
  const std::string topic = with_call([](Call& call) { return require_group(call, "web").topic(); });
  put("web", "a", {{0, "one"}});
  EXPECT_THAT(wakes_, testing::IsSupersetOf({topic, std::string("logs/seal")}));
  put("web", "a", {{0, "two"}});
  EXPECT_THAT(wakes_, testing::ElementsAre(topic));
}

TEST_F(PutLogEvents, TheGroupIsLookedUpBeforeTheStream) {
  EXPECT_EQ(error_of([&] { put("none", "none", {{0, "m"}}); }),
            "ResourceNotFoundException: The specified log group does not exist.");
  EXPECT_EQ(error_of([&] { put("web", "none", {{0, "m"}}); }),
            "ResourceNotFoundException: The specified log stream does not exist.");
}

TEST_F(PutLogEvents, EventsOfAnUnacceptableAgeAreReportedAndTheOthersStored) {
  auto answer = put("web", "a", {{-15 * kDay, "old"}, {-kHour, "kept"}, {3 * kHour, "new"}});
  EXPECT_EQ(answer.rejectedLogEventsInfo->tooOldLogEventEndIndex, 1);
  EXPECT_EQ(answer.rejectedLogEventsInfo->tooNewLogEventStartIndex, 2);
  EXPECT_EQ(answer.rejectedLogEventsInfo->expiredLogEventEndIndex, std::nullopt);
  EXPECT_EQ(answer.nextSequenceToken->size(), 56u);
  EXPECT_EQ(put("web", "a", {{0, "kept"}}).rejectedLogEventsInfo, std::nullopt);
  EXPECT_EQ(put("web", "a", {{-15 * kDay, "old"}}).nextSequenceToken->size(), 56u);
  EXPECT_EQ(count_rows("log_batches"), 2);
}

TEST_F(PutLogEvents, AnOrderThatDecreasesFailsBeforeTheAgeIsChecked) {
  EXPECT_EQ(error_of([&] { put("web", "a", {{3 * kHour, "new"}, {0, "m"}}); }),
            "InvalidParameterException: Log events in a single PutLogEvents request must be in chronological order.");
  EXPECT_THAT(error_of([&] { put("web", "a", {{-kDay - 1, "a"}, {0, "b"}}); }), HasSubstr("span more than 24 hours"));
  EXPECT_EQ(error_of([&] { put("web", "a", {{-kDay, "a"}, {0, "b"}}); }), "");
}

TEST_F(PutLogEvents, SizesAreLimited) {
  EXPECT_EQ(error_of([&] { put("web", "a", {{0, std::string(1048576 - 25, 'x')}}); }),
            "InvalidParameterException: Log event too large: 1048577 bytes exceeds limit of 1048576");
  EXPECT_EQ(error_of([&] { put("web", "a", {{0, std::string(1048576 - 26, 'x')}}); }), "");
  EXPECT_THAT(error_of([&] { put("web", "a", {{0, std::string(1048576 - 52, 'x')}, {0, "xx"}}); }),
              HasSubstr("exceeds limit of 1048576"));
}

TEST_F(PutLogEvents, BytesCountForTheAccountUntilTheyExpireOrTheirGroupIsDeleted) {
  const auto used = [&] { return with_call([&](Call& call) { return find_usage(call.tx, "111111111111").bytes; }); };
  put("web", "a", {{0, "four"}, {1, "12"}});
  EXPECT_EQ(used(), 6 + 2 * 26);
  run<void>("PutRetentionPolicy", PutRetentionPolicyRequest{.logGroupName = "web", .retentionInDays = 1});
  now_ += std::chrono::hours(25);
  take_turn("logs sweep");
  EXPECT_EQ(used(), 0);
  put("web", "a", {{0, "four"}});
  take_turn("logs seal");
  run<void>("DeleteLogGroup", DeleteLogGroupRequest{.logGroupName = "web"});
  take_turn("logs sweep");
  EXPECT_EQ(used(), 0);
}

TEST_F(PutLogEvents, AQuotaOfBytesRejectsEvents) {
  locals_.add<Quotas>(Quotas{.each = {.bytes = 60}});
  put("web", "a", {{0, "four"}});
  EXPECT_EQ(error_of([&] { put("web", "a", {{0, "12345"}}); }),
            "LimitExceededException: The account 111111111111 has reached its quota of bytes: 30 of 60 are used; this request "
            "needs 31 more.");
  put("web", "a", {{0, "four"}});
}

}  // namespace
}  // namespace services::logs
