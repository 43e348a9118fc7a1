// SPDX-License-Identifier: Apache-2.0
#include "cli/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cli {
namespace {

using testing::HasSubstr;

TEST(Names, IdsAreShortenedForTables) {
  EXPECT_EQ(short_id("arn:aws:ecs:us-east-1:000000000000:task/default/3fa94c1b2d7700112233445566778899"),
            "3fa94c1b2d77");
  EXPECT_EQ(short_id("abc"), "abc");
  EXPECT_EQ(short_gpu("GPU-1a2b3c4d-0000-1111-2222-333344445555"), "GPU-1a2b3c4d");
  EXPECT_EQ(family_and_revision("arn:aws:ecs:us-east-1:000000000000:task-definition/train:3"), "train:3");
}

TEST(Names, OnlyTaskIdsInATextAreShortened) {
  const std::string id = "3fa94c1b2d7700112233445566778899";
  EXPECT_EQ(with_short_ids("held by task " + id + ", " + id + "; needs 2"),
            "held by task 3fa94c1b2d77, 3fa94c1b2d77; needs 2");
  EXPECT_EQ(with_short_ids(id), "3fa94c1b2d77");
  EXPECT_EQ(with_short_ids(id + "0"), id + "0");
  EXPECT_EQ(with_short_ids("dead beef GPU-1a2b3c4d"), "dead beef GPU-1a2b3c4d");
  EXPECT_EQ(with_short_ids(""), "");
}

TEST(Names, ABriefDurationHasOnlyItsLargestUnit) {
  EXPECT_EQ(brief_duration(std::chrono::seconds(0)), "0 s");
  EXPECT_EQ(brief_duration(std::chrono::seconds(59)), "59 s");
  EXPECT_EQ(brief_duration(std::chrono::seconds(330)), "5 min");
  EXPECT_EQ(brief_duration(std::chrono::hours(49)), "2 d");
}

TEST(Names, AUniquePrefixMatchesAnId) {
  const std::vector<std::string> ids{"abc1", "abd2", "abd22"};
  EXPECT_EQ(*match_id(ids, "abc", "task"), "abc1");
  EXPECT_EQ(*match_id(ids, "abd2", "task"), "abd2");  // an exact match wins over a prefix
  EXPECT_EQ(match_id(ids, "x", "task").error(), "no such task: x");
  EXPECT_EQ(match_id(ids, "", "task").error(), "no such task: ");
  EXPECT_THAT(match_id(ids, "ab", "task").error(), HasSubstr("prefix of 3 tasks: abc1, abd2, abd22"));
}

TEST(Names, AnIdThatIsListedTwiceCountsOnce) { EXPECT_EQ(*match_id({"abc1", "x", "abc1"}, "abc", "task"), "abc1"); }

TEST(Names, AnErrorNamesAtMostFourMatches) {
  EXPECT_EQ(match_id({"a1", "a2", "a3", "a4", "a5"}, "a", "machine").error(),
            "a is the prefix of 5 machines: a1, a2, a3, a4, ...");
}

}  // namespace
}  // namespace cli
