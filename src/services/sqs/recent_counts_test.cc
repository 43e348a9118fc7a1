// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/recent_counts.h"

#include "services/sqs/sqs_fixture.h"

namespace services::sqs {
namespace {

class RecentCountsTest : public SqsTest {
 protected:
  void add_messages(std::int64_t lot, std::int64_t count) {
    with_call([&](Call& call) {
      call.tx.exec(
          "INSERT INTO sqs_messages (lot, visible_at, receive_count, sent_at, receipt, message_id, sender, body)"
          " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)"
          " SELECT $1, $3, 0, $3, 0, '', '', '' FROM n",
          lot, count, now_);
    });
  }
  std::int64_t visible(const Queue& queue) {
    std::int64_t visible = 0;
    with_call([&](Call& call) { visible = call.local<RecentCounts>().count(call.tx, queue, now_).visible; });
    return visible;
  }
};

TEST_F(RecentCountsTest, ALargeQueueIsCountedOnceInAWhileAndASmallOneAlways) {
  make_queue("q");
  Queue queue;
  with_call([&](Call& call) { queue = *load_queue(call.tx, QueueName{caller_.account, caller_.region, "q"}); });
  add_messages(queue.lot, 10);
  EXPECT_EQ(visible(queue), 10);
  add_messages(queue.lot, RecentCounts::kExactBelow);
  EXPECT_EQ(visible(queue), RecentCounts::kExactBelow + 10);
  add_messages(queue.lot, 1);
  EXPECT_EQ(visible(queue), RecentCounts::kExactBelow + 10);
  now_ += base::Duration(RecentCounts::kExactBelow / RecentCounts::kMessagesPerMillisecond);
  EXPECT_EQ(visible(queue), RecentCounts::kExactBelow + 11);
}

TEST_F(RecentCountsTest, TheCountOfATransactionThatIsRolledBackIsNotKept) {
  make_queue("q");
  Queue queue;
  with_call([&](Call& call) { queue = *load_queue(call.tx, QueueName{caller_.account, caller_.region, "q"}); });
  add_messages(queue.lot, RecentCounts::kExactBelow);
  const auto fail = [&](Call& call) {
    call.tx.exec("INSERT INTO sqs_messages (lot, visible_at, receive_count, sent_at, receipt, message_id, sender, body)"
                 " VALUES ($1, $2, 0, $2, 0, '', '', '')",
                 queue.lot, now_);
    EXPECT_EQ(call.local<RecentCounts>().count(call.tx, queue, now_).visible, RecentCounts::kExactBelow + 1);
    throw wire::ApiError("Refused", "");
  };
  EXPECT_EQ(error_of([&] { with_call(fail); }), "Refused");
  EXPECT_EQ(visible(queue), RecentCounts::kExactBelow);
}

}  // namespace
}  // namespace services::sqs
