// SPDX-License-Identifier: Apache-2.0
#include "api/authenticate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/random.h"
#include "http/block_on.h"
#include "store/recording_store.h"
#include "store/test_store.h"

namespace api {
namespace {

using namespace std::chrono_literals;
using signing::AuthError;

class AuthenticateTest : public testing::Test {
 protected:
  AuthenticateTest() { engine_.set_wall_clock(wall_clock_); }
  ~AuthenticateTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void insert(const state::Key& key) {
    store_->write_now([&](store::Tx& tx) { state::insert_key(tx, key); });
  }
  AuthError problem(const state::Key& key) {
    signing::Claim claim;
    claim.access_key = key.id;
    claim.session_token = key.session_token.value_or("");
    claim.region = "us-east-1";
    claim.service = "ecs";
    claim.date = "20260101";
    return http::block_on(io_.at(0), authenticator_.find(claim, "ecs")).problem;
  }

  const std::string folder_ = testing::TempDir() + "authenticate_test_" + base::random_uuid();
  const base::Time now_ = base::from_seconds(1800000000);
  base::FakeClock clock_{now_}, wall_clock_{now_};
  http::IoThreads io_{1};
  std::unique_ptr<store::Store> store_ = store::open_test_store(folder_, {state::key_migrations()});
  store::RecordingStore recorder_{*store_};
  services::Locals locals_;
  services::Directory directory_;
  Topics topics_;
  Engine engine_{recorder_, locals_, directory_, topics_, clock_};
  Authenticator authenticator_{engine_};
};

// Its agent has to learn of it, also while the server's clock is ahead of the machine's.
TEST_F(AuthenticateTest, TheKeyOfAMachineEndsByTheServersClock) {
  state::Key key = state::new_machine_key("111111111111", now_);
  key.expires_at = now_;
  insert(key);
  wall_clock_.advance(-2h);
  EXPECT_EQ(problem(key), AuthError::ExpiredToken);
}

TEST_F(AuthenticateTest, ASessionEndsOnceBothClocksSaySo) {
  const state::Key key = state::new_session_key(state::new_key("111111111111", now_), now_, now_ + 1h);
  insert(key);
  clock_.advance(2h);
  EXPECT_EQ(problem(key), AuthError::None);
  wall_clock_.advance(2h);
  EXPECT_EQ(problem(key), AuthError::ExpiredToken);
}

TEST_F(AuthenticateTest, KeysThatAnybodyCanNameAreNotLookedUpInTheServersTurn) {
  state::Key key = state::new_key("111111111111", now_);
  EXPECT_EQ(problem(key), AuthError::UnknownKey);
  EXPECT_THAT(recorder_.take_accounts(), testing::ElementsAre("keys"));
  key.id = "no key at all";
  EXPECT_EQ(problem(key), AuthError::UnknownKey);
  EXPECT_THAT(recorder_.take_accounts(), testing::IsEmpty());
}

}  // namespace
}  // namespace api
