// SPDX-License-Identifier: Apache-2.0
#include "api/loops.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <future>

#include "base/log.h"
#include "base/random.h"
#include "http/block_on.h"
#include "store/test_store.h"

namespace api {
namespace {

class LoopsTest : public testing::Test {
 protected:
  LoopsTest() { base::set_log_level(base::LogLevel::Off); }
  ~LoopsTest() override {
    base::set_log_level(base::LogLevel::Info);
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::optional<base::Time> take_turn(services::Loop loop) {
    Loop made = make_loop(engine_, std::move(loop));
    return http::block_on(io_.at(0), made.turn());
  }
  std::int64_t rows() {
    std::int64_t count = 0;
    store_->read_now([&](store::Tx& tx) { count = tx.query("SELECT count(*) FROM marks").integer(); });
    return count;
  }
  static void mark(services::Call& call) { call.tx.exec("INSERT INTO marks (n) VALUES (1)"); }

  const std::string folder_ = testing::TempDir() + "loops_test_" + base::random_uuid();
  base::FakeClock clock_{base::from_seconds(1800000000)};
  http::IoThreads io_{1};
  std::unique_ptr<store::Store> store_ =
      store::open_test_store(folder_, {{"marks", {"CREATE TABLE marks (n INTEGER NOT NULL)"}}});
  services::Locals locals_;
  services::Directory directory_;
  Topics topics_;
  Engine engine_{*store_, locals_, directory_, topics_, clock_};
};

TEST_F(LoopsTest, ALookThatFindsNothingTakesNoWriteTransaction) {
  const base::Time later = clock_.now() + std::chrono::seconds(5);
  auto next = take_turn({"l", "topic", [&](services::Call& call) {
                           EXPECT_EQ(call.now, clock_.now());
                           EXPECT_THROW(mark(call), std::exception);  // a snapshot can't be written
                           return services::Decision{.next = later};
                         }});
  EXPECT_EQ(next, later);
  EXPECT_EQ(rows(), 0);
}

TEST_F(LoopsTest, ADecisionIsAppliedInAWriteTransactionAndWakesItsTopics) {
  const std::uint64_t seen = topics_.seen();
  const base::Time later = clock_.now() + std::chrono::seconds(5);
  auto next = take_turn({"l", "topic", [&](services::Call&) {
                           services::Decision decision;
                           decision.next = later;
                           decision.apply = [](services::Call& call) {
                             mark(call);
                             call.wake("marked");
                           };
                           return decision;
                         }});
  EXPECT_EQ(next, later);
  EXPECT_EQ(rows(), 1);
  EXPECT_GT(topics_.seen(), seen);
}

TEST_F(LoopsTest, AnErrorOfTheApplyIsTheTurnsError) {
  services::Loop loop{"l", "topic", [](services::Call&) {
                        return services::Decision{.apply = [](services::Call& call) {
                          mark(call);
                          throw std::runtime_error("no");
                        }};
                      }};
  EXPECT_THROW(take_turn(std::move(loop)), std::runtime_error);
  EXPECT_EQ(rows(), 0);
}

TEST_F(LoopsTest, AnApplyThatFailsWakesWhatWaitsForItsFailure) {
  const std::uint64_t seen = topics_.seen();
  services::Loop loop{"l", "topic", [](services::Call&) {
                        return services::Decision{.apply = [](services::Call& call) {
                          mark(call);
                          call.wake_if_failed("returned");
                          throw std::runtime_error("no");
                        }};
                      }};
  EXPECT_THROW(take_turn(std::move(loop)), std::runtime_error);
  EXPECT_GT(topics_.seen(), seen);
}

// Three turns: the first at the start, the others by wakes.
TEST_F(LoopsTest, ALoopTakesATurnAtTheStartAndWheneverItsTopicIsWoken) {
  std::promise<void> turns[3];
  int taken = 0;
  services::Loop loop{"l", "topic", [&](services::Call&) {
                        if (taken < 3) turns[taken++].set_value();
                        return services::Decision{};
                      }};
  Loops loops(io_, engine_, {make_loop(engine_, std::move(loop))});
  turns[0].get_future().get();
  topics_.wake("topic");
  turns[1].get_future().get();
  topics_.wake("topic");
  turns[2].get_future().get();
}

TEST_F(LoopsTest, ALoopThatFailsGoesOn) {
  std::promise<void> second;
  int taken = 0;
  services::Loop loop{"l", "topic", [&](services::Call&) -> services::Decision {
                        if (++taken == 1) throw std::runtime_error("once");
                        if (taken == 2) second.set_value();
                        return {};
                      }};
  Loops loops(io_, engine_, {make_loop(engine_, std::move(loop))});
  second.get_future().get();
}

TEST_F(LoopsTest, ALoopThatIsDueInTheDistantFutureDoesNotDelayTheEnd) {
  services::Loop loop{"l", "topic", [&](services::Call& call) {
                        return services::Decision{.next = call.now + std::chrono::hours(1)};
                      }};
  Loops loops(io_, engine_, {make_loop(engine_, std::move(loop))});
}

}  // namespace
}  // namespace api
