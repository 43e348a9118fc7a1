// SPDX-License-Identifier: Apache-2.0
#include "services/sts/module.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/random.h"
#include "state/keys.h"
#include "store/test_store.h"

namespace services::sts {
namespace {

class KeySweepTest : public testing::Test {
 protected:
  ~KeySweepTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  void add_session(base::Duration lifetime) {
    const state::Key key = state::new_session_key({.id = "AKID", .account = "111111111111"}, now_, now_ + lifetime);
    store_->write_now([&](store::Tx& tx) { state::insert_key(tx, key); });
  }
  std::int64_t count_keys() {
    std::int64_t count = 0;
    store_->read_now([&](store::Tx& tx) { count = tx.query("SELECT count(*) FROM access_keys").integer(); });
    return count;
  }
  Decision look() {
    Decision decision;
    store_->read_now([&](store::Tx& tx) {
      Call call{tx, nobody_, now_, now_};
      decision = module_.loops.at(0).look(call);
    });
    return decision;
  }

  const std::string folder_ = testing::TempDir() + "sts-" + base::random_uuid();
  const Module module_ = module({});
  std::unique_ptr<store::Store> store_ = store::open_test_store(folder_, {module_.migrations});
  const Caller nobody_;
  base::Time now_ = base::from_seconds(1800000000);
};

TEST_F(KeySweepTest, DeletesSessionKeysADayAfterTheyExpired) {
  add_session(std::chrono::minutes(15));
  add_session(std::chrono::hours(36));
  now_ += std::chrono::hours(24);
  Decision decision = look();
  EXPECT_FALSE(decision.apply);
  EXPECT_GT(decision.next, now_);
  now_ += std::chrono::minutes(15);
  decision = look();
  ASSERT_TRUE(decision.apply);
  store_->write_now([&](store::Tx& tx) {
    Call call{tx, nobody_, now_, now_};
    decision.apply(call);
  });
  EXPECT_EQ(count_keys(), 1);
}

TEST_F(KeySweepTest, EndsKeysOfMachinesThatHaveNotRegisteredInTime) {
  state::Key key = state::new_machine_key("111111111111", now_);
  key.register_by = now_;
  store_->write_now([&](store::Tx& tx) { state::insert_key(tx, key); });
  const Decision decision = look();
  ASSERT_TRUE(decision.apply);
  store_->write_now([&](store::Tx& tx) {
    Call call{tx, nobody_, now_, now_};
    decision.apply(call);
    ASSERT_EQ(call.wakes.size(), 1u);
    EXPECT_EQ(call.wakes[0].topic, state::key_topic(key.id)) << "caches forget it";
    EXPECT_EQ(state::find_key(tx, key.id)->expires_at, now_);
  });
  EXPECT_FALSE(look().apply);
}

}  // namespace
}  // namespace services::sts
