// SPDX-License-Identifier: Apache-2.0
#include "base/server_clock.h"

#include <gtest/gtest.h>

namespace base {
namespace {

using namespace std::chrono_literals;

const Time kStart = from_seconds(1'790'000'000);

class ServerClockTest : public testing::Test {
 protected:
  ServerClock make() {
    return ServerClock(machine_, [this] { return elapsed_; });
  }
  // Time passes, for the machine's clock as well.
  void pass(Duration time) {
    elapsed_ += time;
    machine_.advance(time);
  }

  FakeClock machine_{kStart};
  std::chrono::nanoseconds elapsed_{5s};
};

TEST_F(ServerClockTest, FollowsTheMachinesClock) {
  const ServerClock clock = make();
  EXPECT_EQ(clock.now(), kStart);
  for (int i = 0; i < 1000; ++i) {
    pass(7ms);
    ASSERT_EQ(clock.now(), machine_.now());
  }
  machine_.advance(3ms);  // adjustments are small steps
  EXPECT_EQ(clock.now(), machine_.now());
  EXPECT_EQ(clock.ahead(), 0ms);
}

TEST_F(ServerClockTest, AfterAStepBackItRunsMoreSlowlyAndNeverBack) {
  const ServerClock clock = make();
  machine_.advance(-2h);
  EXPECT_EQ(clock.now(), kStart);
  EXPECT_EQ(clock.ahead(), 2h);
  Time last = clock.now();
  for (int i = 0; i < 1000; ++i) {
    pass(1ms);  // also in steps that are shorter than its unit
    ASSERT_GE(clock.now(), last);
    last = clock.now();
  }
  EXPECT_EQ(clock.now(), kStart + 750ms);
  pass(60s - 1s);
  EXPECT_EQ(clock.now(), kStart + 45s) << "a visibility timeout of 45 s takes a minute";
  pass(8h - 60s);
  EXPECT_EQ(clock.ahead(), 0ms);
  pass(1h);
  EXPECT_EQ(clock.now(), machine_.now());
}

TEST_F(ServerClockTest, AStepForwardIsFollowed) {
  const ServerClock clock = make();
  machine_.advance(2h);
  EXPECT_EQ(clock.now(), kStart + 2h);
  machine_.advance(-2h);
  EXPECT_EQ(clock.now(), kStart + 2h);
}

TEST_F(ServerClockTest, AStepOfYearsIsNot) {
  const ServerClock clock = make();
  machine_.advance(24h * 3650);
  EXPECT_EQ(clock.now(), kStart);
  pass(10s);
  EXPECT_EQ(clock.now(), kStart + 20s) << "messages of two weeks do not expire at once";
  machine_.advance(-24h * 3650);
  pass(10s);
  EXPECT_EQ(clock.now(), kStart + 27500ms) << "10 s ahead";
}

TEST_F(ServerClockTest, ARestartContinuesFromTheLastTime) {
  ServerClock clock = make();
  clock.continue_from(kStart + 2h);
  EXPECT_EQ(clock.now(), kStart + 2h);
  pass(4s);
  EXPECT_EQ(clock.now(), kStart + 2h + 3s);
}

TEST_F(ServerClockTest, ARestartLaterOrMuchEarlierUsesTheMachinesClock) {
  ServerClock later = make();
  later.continue_from(kStart - 24h * 30);
  EXPECT_EQ(later.now(), kStart);
  ServerClock much_earlier = make();
  much_earlier.continue_from(kStart + 24h * 30);
  EXPECT_EQ(much_earlier.now(), kStart) << "a wrong clock was repaired meanwhile";
}

constexpr Time kBoot = from_seconds(12);  // of a machine whose clock has no battery

TEST_F(ServerClockTest, AMachineThatStartsIn1970AndGetsTheTimeLaterContinuesFromThere) {
  machine_.set(kBoot);
  ServerClock clock = make();
  clock.continue_from(kStart);
  EXPECT_EQ(clock.now(), kBoot);
  pass(30s);
  machine_.set(kStart + 24h * 40);  // it was off for 40 days
  EXPECT_EQ(clock.now(), kStart + 24h * 40);
  pass(1h);
  EXPECT_EQ(clock.now(), machine_.now());
  machine_.advance(24h * 3650);
  EXPECT_EQ(clock.now(), kStart + 24h * 40 + 1h) << "a second step is a mistake again";
}

TEST_F(ServerClockTest, TheFirstStartOfAMachineIn1970FollowsTheTimeThatItGets) {
  machine_.set(kBoot);
  const ServerClock clock = make();
  pass(1min);
  machine_.set(kStart);
  EXPECT_EQ(clock.now(), kStart);
}

TEST_F(ServerClockTest, AStartDaysEarlierFollowsTheMachinesReturnToTheLastTime) {
  ServerClock clock = make();
  clock.continue_from(kStart + 24h * 5);
  pass(10s);
  EXPECT_EQ(clock.now(), kStart + 10s);
  machine_.advance(24h * 3);
  EXPECT_EQ(clock.now(), kStart + 10s) << "not there yet";
  machine_.set(kStart + 24h * 6);
  EXPECT_EQ(clock.now(), kStart + 24h * 6);
}

TEST_F(ServerClockTest, AReturnToLittleLessThanTheLastTimeDoesNotGoBehindIt) {
  machine_.set(kBoot);
  ServerClock clock = make();
  clock.continue_from(kStart);
  machine_.set(kStart - 1h);
  EXPECT_EQ(clock.now(), kStart);
  pass(4s);
  EXPECT_EQ(clock.now(), kStart + 3s) << "more slowly until the machine has caught up";
}

}  // namespace
}  // namespace base
