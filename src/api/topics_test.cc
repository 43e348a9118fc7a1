// SPDX-License-Identifier: Apache-2.0
#include "api/topics.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <thread>

namespace api {
namespace {

namespace asio = boost::asio;
constexpr base::Duration kLong = std::chrono::hours(1);

asio::awaitable<void> wait_and_count(Topics* topics, std::string topic, std::uint64_t seen, base::Duration most,
                                     int* count) {
  co_await topics->wait(topic, seen, most);
  ++*count;
}

asio::awaitable<void> wait_for_two(Topics* topics, int* count) {
  co_await topics->wait("a", topics->seen(), kLong, "b");
  ++*count;
}

class TopicsTest : public testing::Test {
 protected:
  void start_wait(const std::string& topic, std::uint64_t seen, base::Duration most = kLong) {
    asio::co_spawn(io_, wait_and_count(&topics_, topic, seen, most, &returned_), [](std::exception_ptr error) {
      EXPECT_FALSE(error);
    });
    io_.restart();
    io_.poll();
  }
  void poll() {
    io_.restart();
    io_.poll();
  }

  asio::io_context io_;
  Topics topics_;
  int returned_ = 0;
};

TEST_F(TopicsTest, AWaiterOfTwoTopicsReturnsWithEitherAndLeavesBoth) {
  for (const char* topic : {"a", "b"}) {
    asio::co_spawn(io_, wait_for_two(&topics_, &returned_), [](std::exception_ptr error) { EXPECT_FALSE(error); });
    poll();
    start_wait("a", topics_.seen());
    const int before = returned_;
    topics_.wake(topic, 1);
    poll();
    EXPECT_EQ(returned_, before + 1);
    topics_.wake("a", 1);  // reaches the other waiter
    poll();
    EXPECT_EQ(returned_, before + 2);
  }
}

TEST_F(TopicsTest, AWakeReturnsEveryWaiterOfThatTopicAndNoOther) {
  start_wait("a", topics_.seen());
  start_wait("a", topics_.seen());
  start_wait("b", topics_.seen());
  topics_.wake("a");
  poll();
  EXPECT_EQ(returned_, 2);
  topics_.wake("b");
  poll();
  EXPECT_EQ(returned_, 3);
}

TEST_F(TopicsTest, AWakeBetweenLookingAndWaitingIsNotLost) {
  const std::uint64_t seen = topics_.seen();
  topics_.wake("a");
  start_wait("a", seen);
  EXPECT_EQ(returned_, 1);
}

TEST_F(TopicsTest, AWakeFromBeforeLookingDoesNotCount) {
  topics_.wake("a");
  start_wait("a", topics_.seen());
  EXPECT_EQ(returned_, 0);
  topics_.wake("a");
  poll();
  EXPECT_EQ(returned_, 1);
}

TEST_F(TopicsTest, AWakeReachesAtMostTheGivenNumberOfWaiters) {
  for (int i = 0; i < 3; ++i) start_wait("a", topics_.seen());
  topics_.wake("a", 2);
  poll();
  EXPECT_EQ(returned_, 2);
  topics_.wake("a", 2);
  poll();
  EXPECT_EQ(returned_, 3);
}

TEST_F(TopicsTest, WakeAllReachesEveryWaiter) {
  const std::uint64_t seen = topics_.seen();
  start_wait("a", seen);
  start_wait("b", seen);
  topics_.wake_all();
  poll();
  start_wait("c", seen);
  EXPECT_EQ(returned_, 3);
}

TEST_F(TopicsTest, AWaitEndsAtItsDeadline) {
  start_wait("a", topics_.seen(), base::Duration(1));
  io_.restart();
  io_.run();
  EXPECT_EQ(returned_, 1);
}

TEST_F(TopicsTest, NoWakeIsLostAmongManyThreadsAndMoreTopicsThanAreKept) {
  const std::uint64_t seen = topics_.seen();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 40000; ++i) topics_.wake("t" + std::to_string(t) + "/" + std::to_string(i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  // A waiter with an older version must look again, whether or not its topic was forgotten.
  start_wait("t0/0", seen);
  start_wait("t3/39999", seen);
  EXPECT_EQ(returned_, 2);
}

}  // namespace
}  // namespace api
