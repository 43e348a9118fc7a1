// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/holders.h"

#include <gmock/gmock.h>

#include "services/sqs/operations.h"
#include "services/sqs/sqs_fixture.h"
#include "shapes/stoker/held_messages.h"

namespace services::sqs {
namespace {

using shapes::stoker::CountHeldMessages;
using shapes::stoker::CountHeldMessagesResult;

class HolderTest : public SqsTest {
 protected:
  void act_as(const std::string& key, bool temporary = true) {
    caller_.access_key = key;
    caller_.temporary = temporary;
  }
  // "jobs 2"
  std::vector<std::string> held(const std::string& key) {
    const CountHeldMessages request{{key}};
    std::vector<std::string> texts;
    with_call([&](Call& call) {
      const Erased output = holder_operations().at(0).run(call, &request);
      for (const auto& one : static_cast<const CountHeldMessagesResult*>(output.get())->queues) {
        texts.push_back(one.queue + " " + std::to_string(one.count));
      }
    });
    return texts;
  }
};

TEST_F(HolderTest, AKeyHoldsWhatItHasReceivedAndNotDeleted) {
  const std::string jobs = make_queue("jobs"), others = make_queue("others");
  for (int i = 0; i < 3; ++i) send(jobs, "job");
  send(others, "other");
  act_as("ASIAONE");
  const auto received = receive(jobs, 2);
  ASSERT_EQ(received.size(), 2u);
  receive(others);
  act_as("ASIATWO");
  receive(jobs);
  EXPECT_THAT(held("ASIAONE"), testing::UnorderedElementsAre("jobs 2", "others 1"));
  EXPECT_THAT(held("ASIATWO"), testing::ElementsAre("jobs 1"));
  remove(jobs, received[0]);
  EXPECT_THAT(held("ASIAONE"), testing::UnorderedElementsAre("jobs 1", "others 1"));
}

TEST_F(HolderTest, AMessageWhoseTimeoutHasEndedOrThatAnotherReceivedIsNotHeld) {
  const std::string jobs = make_queue("jobs");
  send(jobs, "job");
  act_as("ASIAONE");
  receive(jobs, 1, 30);
  now_ += std::chrono::seconds(31);
  EXPECT_THAT(held("ASIAONE"), testing::IsEmpty());
  act_as("ASIATWO");
  receive(jobs, 1, 30);
  EXPECT_THAT(held("ASIAONE"), testing::IsEmpty());
  EXPECT_THAT(held("ASIATWO"), testing::ElementsAre("jobs 1"));
}

TEST_F(HolderTest, KeysOfPeopleAreNotRemembered) {
  const std::string jobs = make_queue("jobs");
  send(jobs, "job");
  act_as("AKIAROOT", false);
  receive(jobs);
  EXPECT_THAT(held("AKIAROOT"), testing::IsEmpty());
}

TEST(Holders, MemoryIsBounded) {
  Holders holders;
  for (std::size_t i = 0; i < Holders::kMaxDeliveries + 5; ++i) holders.add("one", {{1, 1, static_cast<std::int64_t>(i), 1}});
  EXPECT_EQ(holders.of("one").size(), Holders::kMaxDeliveries);
  EXPECT_EQ(holders.of("one").front().seq, 5);
  for (std::size_t i = 0; i < Holders::kMaxKeys; ++i) holders.add("key" + std::to_string(i), {{1, 1, 1, 1}});
  EXPECT_TRUE(holders.of("one").empty());
  EXPECT_EQ(holders.of("key0").size(), 1u);
}

}  // namespace
}  // namespace services::sqs
