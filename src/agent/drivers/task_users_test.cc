// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/task_users.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace agent::drivers {
namespace {

using testing::HasSubstr;

class TaskUsersTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "users_XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  TaskUsers users(const std::string& agent, UidRange range = {1999000000, 1999000002}) const {
    return TaskUsers(range, folder_ + "/claims", folder_ + "/" + agent);
  }

  std::string folder_;
};

TEST_F(TaskUsersTest, TwoAgentsNeverGiveOutTheSameNumber) {
  const TaskUsers a = users("a"), b = users("b");
  EXPECT_EQ(*a.claim("t1"), 1999000000u);
  EXPECT_EQ(*b.claim("t1"), 1999000001u);
  EXPECT_EQ(*a.claim("t2"), 1999000002u);
  const auto none = b.claim("t2");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error(), HasSubstr("all 3 user numbers"));
  EXPECT_EQ(*a.claim("t1"), 1999000000u) << "a task keeps its number";
  EXPECT_EQ(*users("b").claim("t1"), 1999000001u) << "also with the next agent";
}

TEST_F(TaskUsersTest, AReleasedNumberIsUsedAgainAsLateAsPossible) {
  const TaskUsers a = users("a");
  EXPECT_EQ(*a.claim("t1"), 1999000000u);
  a.release("t1");
  EXPECT_EQ(*a.claim("t2"), 1999000001u);
  EXPECT_EQ(*a.claim("t3"), 1999000002u);
  EXPECT_EQ(*a.claim("t4"), 1999000000u);
}

TEST_F(TaskUsersTest, TheClaimOfADeletedAgentIsVoid) {
  const UidRange one{1999000000, 1999000000};
  EXPECT_EQ(*users("a", one).claim("t1"), 1999000000u);
  EXPECT_FALSE(users("b", one).claim("t1"));
  std::filesystem::remove_all(folder_ + "/a");
  EXPECT_EQ(*users("b", one).claim("t1"), 1999000000u);
}

TEST_F(TaskUsersTest, ALostClaimIsRestoredUnlessAnotherTaskHasTheNumber) {
  const TaskUsers a = users("a"), b = users("b");
  EXPECT_EQ(*a.claim("t1"), 1999000000u);
  std::filesystem::remove_all(folder_ + "/claims");
  std::filesystem::create_directory(folder_ + "/claims");
  EXPECT_EQ(*b.claim("t1"), 1999000000u) << "the first claim was not visible";
  EXPECT_EQ(*a.claim("t1"), 1999000001u);
}

TEST_F(TaskUsersTest, NumbersOfAccountsAreSkipped) {
  const TaskUsers a = users("a", {65534, 65535});
  EXPECT_EQ(*a.claim("t1"), 65535u);
}

TEST(UidRange, IsParsed) {
  const auto range = parse_uid_range("2000000000-2000065535");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->first, 2000000000);
  EXPECT_EQ(range->last, 2000065535);
  for (const char* text : {"", "5", "a-b", "0-65535", "999-2000", "5000-5000", "5000-4000", "1000-4294967294", "-1-5"}) {
    EXPECT_FALSE(parse_uid_range(text)) << text;
  }
}

TEST(UidRange, MustBeInTheMapOfTheContainer) {
  const std::string file = testing::TempDir() + "uid_map_test";
  std::ofstream(file) << "         0       1000          1\n         1     100000      65536\n";
  EXPECT_TRUE(has_uids({60000, 65536}, file));
  EXPECT_FALSE(has_uids({60000, 65537}, file));
  EXPECT_TRUE(has_uids({2000000000, 2000065535}));
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace agent::drivers
