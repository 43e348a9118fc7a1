// SPDX-License-Identifier: Apache-2.0
#include "services/sts/sessions.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/random.h"
#include "services/sts/module.h"
#include "state/keys.h"
#include "store/test_store.h"

namespace services::sts {
namespace {

class AssumeRole : public testing::Test {
 protected:
  ~AssumeRole() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  // The key of a new session of a role, assumed with this key.
  state::Key assume(const state::Key& key) {
    state::Key made;
    store_->write_now([&](store::Tx& tx) {
      state::insert_key(tx, key);
      const Caller caller{.account = key.account,
                          .access_key = key.id,
                          .temporary = key.session_token.has_value(),
                          .task = key.scope == state::KeyScope::Task};
      Call call{tx, caller, now_, now_};
      const auto answer = assume_role(call, {.RoleArn = "arn:aws:iam::111111111111:role/r", .RoleSessionName = "me"});
      made = *state::find_key(tx, answer.Credentials->AccessKeyId);
    });
    return made;
  }

  const std::string folder_ = testing::TempDir() + "sts-" + base::random_uuid();
  const Module module_ = module({});
  std::unique_ptr<store::Store> store_ = store::open_test_store(folder_, {module_.migrations});
  const base::Time now_ = base::from_seconds(1800000000);
  const state::Key lasting_ = state::new_key("111111111111", now_);
};

TEST_F(AssumeRole, ASessionOfASessionEndsWithTheLastingKey) {
  const state::Key first = assume(lasting_);
  EXPECT_EQ(first.parent, lasting_.id);
  EXPECT_EQ(first.role, "r/me");
  EXPECT_EQ(assume(first).parent, lasting_.id);
}

TEST_F(AssumeRole, ARoleThatATaskAssumesMayDoNoMoreThanTheTask) {
  state::Key task = state::new_session_key(lasting_, now_, now_ + std::chrono::hours(6));
  task.scope = state::KeyScope::Task;
  const state::Key assumed = assume(task);
  EXPECT_EQ(assumed.scope, state::KeyScope::Task);
  EXPECT_EQ(assume(assumed).scope, state::KeyScope::Task);
}

}  // namespace
}  // namespace services::sts
