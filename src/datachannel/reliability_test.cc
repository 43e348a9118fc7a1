// SPDX-License-Identifier: Apache-2.0
// Messages that get lost, are repeated or come out of order, at times that the test chooses.
#include <gtest/gtest.h>

#include "base/random.h"
#include "datachannel/inbox.h"
#include "datachannel/outbox.h"

namespace datachannel {
namespace {

using namespace std::chrono_literals;

constexpr Steady kStart{std::chrono::hours(1)};

std::int64_t sequence_of(const std::string& bytes) { return decode(bytes)->sequence; }

std::vector<std::int64_t> sequences_of(const std::vector<std::string>& all) {
  std::vector<std::int64_t> found;
  for (const std::string& bytes : all) found.push_back(sequence_of(bytes));
  return found;
}

class OutboxTest : public testing::Test {
 protected:
  OutboxTest() { box_.connect(); }
  void add(int count, Steady at = kStart) {
    for (int i = 0; i < count; ++i) box_.add(PayloadType::Output, "x", 1, at);
  }
  std::vector<std::int64_t> due(Steady at) { return sequences_of(box_.take_due(at)); }

  using Numbers = std::vector<std::int64_t>;
  Outbox box_{kOutput};
};

TEST_F(OutboxTest, OnlyTheFirstMessageHasTheSynFlag) {
  EXPECT_EQ(decode(box_.add(PayloadType::Output, "x", 1, kStart))->flags, kSyn);
  EXPECT_EQ(decode(box_.add(PayloadType::Output, "x", 1, kStart))->flags, 0u);
}

TEST_F(OutboxTest, TheOldestIsSentAgainAfterTheTimeout) {
  add(2);
  EXPECT_EQ(box_.next_due(), kStart + 200ms);
  EXPECT_EQ(due(kStart + 199ms), Numbers());
  EXPECT_EQ(due(kStart + 200ms), Numbers({0}));
  EXPECT_EQ(due(kStart + 399ms), Numbers());
  box_.acknowledge(0, kStart + 399ms);
  EXPECT_EQ(due(kStart + 400ms), Numbers({1}));
  box_.acknowledge(1, kStart + 401ms);
  EXPECT_TRUE(box_.empty());
  EXPECT_EQ(box_.next_due(), std::nullopt);
}

TEST_F(OutboxTest, TheTimeoutFollowsTheRoundTrip) {
  RoundTrip trip;
  for (int i = 0; i < 100; ++i) trip.measured(20ms);
  EXPECT_NEAR(static_cast<double>(trip.timeout().count()), 30, 2);
  for (int i = 0; i < 100; ++i) trip.measured(5000ms);
  EXPECT_EQ(trip.timeout(), RoundTrip::kLongestTimeout);
}

TEST_F(OutboxTest, AWindowIsFullUntilSomethingIsAcknowledged) {
  add(static_cast<int>(Outbox::kWindow));
  EXPECT_FALSE(box_.has_room());
  box_.acknowledge(5, kStart);
  EXPECT_TRUE(box_.has_room());
}

TEST_F(OutboxTest, ANewConnectionGetsAllThatIsOpen) {
  add(3);
  box_.acknowledge(1, kStart);
  box_.disconnect();
  EXPECT_FALSE(box_.has_room());
  EXPECT_EQ(due(kStart + 1s), Numbers());
  EXPECT_TRUE(box_.connect());
  EXPECT_EQ(due(kStart + 1s), Numbers({0, 2}));
  EXPECT_EQ(due(kStart + 1s), Numbers());
}

// The plugin does not acknowledge what it has already.
TEST_F(OutboxTest, ALaterAcknowledgementSettlesMessagesOfAFormerConnection) {
  add(3);
  box_.acknowledge(0, kStart);
  box_.connect();
  due(kStart + 1s);
  add(1, kStart + 1s);
  box_.acknowledge(3, kStart + 1s);
  EXPECT_TRUE(box_.empty());
}

TEST_F(OutboxTest, MessagesOfThisConnectionAreNeverSettledByLaterOnes) {
  add(3);
  box_.acknowledge(1, kStart);
  box_.acknowledge(2, kStart);
  EXPECT_EQ(due(kStart + 1s), Numbers({0}));
}

// Output that comes before the plugin's handler is up is dropped, and not acknowledged.
TEST_F(OutboxTest, NothingIsSettledBeforeTheFirstOutputIsAcknowledged) {
  box_.add(PayloadType::HandshakeRequest, "x", 1, kStart);
  box_.connect();
  due(kStart);
  box_.add(PayloadType::HandshakeComplete, "x", 1, kStart);
  box_.acknowledge(1, kStart);
  EXPECT_EQ(due(kStart + 1s), Numbers({0}));
}

TEST_F(OutboxTest, AFullWindowOfAFormerConnectionDoesNotStopTheNext) {
  add(static_cast<int>(Outbox::kWindow));
  box_.connect();
  EXPECT_TRUE(box_.has_room());
}

TEST_F(OutboxTest, ASessionWithTooManyOpenMessagesIsNotResumed) {
  bool resumed = true;
  for (int connection = 0; connection < 20 && resumed; ++connection) {
    add(static_cast<int>(Outbox::kWindow));
    resumed = box_.connect();
  }
  EXPECT_FALSE(resumed);
}

Message input(std::int64_t sequence, std::size_t bytes = 1) {
  Message message;
  message.sequence = sequence;
  message.payload = std::string(bytes, 'x');
  return message;
}

TEST(Inbox, MessagesAreTakenInOrderEachOnce) {
  Inbox box;
  EXPECT_EQ(box.put(input(1)), Inbox::Arrival::Held);
  EXPECT_FALSE(box.take());
  EXPECT_EQ(box.put(input(0)), Inbox::Arrival::Held);
  EXPECT_EQ(box.take()->sequence, 0);
  EXPECT_EQ(box.take()->sequence, 1);
  EXPECT_FALSE(box.take());
  EXPECT_EQ(box.put(input(1)), Inbox::Arrival::Repeated);
}

TEST(Inbox, AFullInboxStillTakesTheExpectedMessage) {
  Inbox box;
  for (std::size_t i = 1; i <= Inbox::kMaxHeld; ++i) box.put(input(static_cast<std::int64_t>(i)));
  EXPECT_EQ(box.put(input(5000)), Inbox::Arrival::Dropped);
  EXPECT_EQ(box.put(input(0)), Inbox::Arrival::Held);
  EXPECT_EQ(box.take()->sequence, 0);
}

TEST(Inbox, HeldBytesAreBounded) {
  Inbox box;
  std::int64_t held = 0;
  while (box.put(input(held + 1, kMaxPayloadBytes)) == Inbox::Arrival::Held) ++held;
  EXPECT_EQ(held, static_cast<std::int64_t>(Inbox::kMaxHeldBytes / kMaxPayloadBytes));
}

}  // namespace
}  // namespace datachannel
