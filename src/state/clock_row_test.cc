// SPDX-License-Identifier: Apache-2.0
#include "state/clock_row.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/random.h"
#include "store/test_store.h"

namespace state {
namespace {

class ClockRow : public testing::Test {
 protected:
  ~ClockRow() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void record(base::Time now) {
    store_->write_now([&](store::Tx& tx) { record_time(tx, now); });
  }
  std::optional<base::Time> recorded() {
    std::optional<base::Time> found;
    store_->read_now([&](store::Tx& tx) { found = recorded_time(tx); });
    return found;
  }

  const std::string folder_ = testing::TempDir() + "clock-" + base::random_uuid();
  std::unique_ptr<store::Store> store_ = store::open_test_store(folder_, {clock_migrations()});
  const base::Time now_ = base::from_seconds(1800000000);
};

TEST_F(ClockRow, HasTheLastTimeEvenIfItIsEarlier) {
  EXPECT_EQ(recorded(), std::nullopt);
  record(now_);
  record(now_ + std::chrono::hours(1));
  EXPECT_EQ(recorded(), now_ + std::chrono::hours(1));
  record(now_ - std::chrono::hours(48));
  EXPECT_EQ(recorded(), now_ - std::chrono::hours(48));
}

TEST_F(ClockRow, ATimeBeforeTheClockIsSetDoesNotReplaceALaterOne) {
  record(base::from_seconds(10));
  record(base::from_seconds(20));
  EXPECT_EQ(recorded(), base::from_seconds(20));
  record(now_);
  record(base::from_seconds(30));
  EXPECT_EQ(recorded(), now_);
}

}  // namespace
}  // namespace state
