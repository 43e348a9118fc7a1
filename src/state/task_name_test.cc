// SPDX-License-Identifier: Apache-2.0
#include "state/task_name.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace state {
namespace {

TEST(TaskName, ANameIsThirtyTwoDigitsAndCanBeParsed) {
  for (std::int64_t launch : {1LL, 2LL, 77777LL, 1LL << 40, (1LL << 58) - 1}) {
    const TaskName name = new_task_name(LaunchNumber(launch), 9);
    const std::string id = to_text(name);
    EXPECT_EQ(id.size(), 32U);
    EXPECT_TRUE(std::all_of(id.begin(), id.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }));
    EXPECT_EQ(parse_task_name(id), name);
    EXPECT_EQ(name.launch(), LaunchNumber(launch));
  }
}

TEST(TaskName, NamesOfOneLaunchLookNothingAlike) {
  std::set<std::string> fronts;
  for (int place = 0; place < 10; ++place) fronts.insert(to_text(new_task_name(LaunchNumber(1), place)).substr(0, 12));
  EXPECT_EQ(fronts.size(), 10U);
}

TEST(TaskName, TheFirstTaskHasAnotherShortIdInEachInstallation) {
  EXPECT_NE(to_text(new_task_name(LaunchNumber(1), 0)).substr(0, 12), to_text(new_task_name(LaunchNumber(1), 0)).substr(0, 12));
}

TEST(TaskName, ANameOfAnEarlierVersionKeepsItsText) {
  const TaskName name{.number = 16, .secret = 5};
  EXPECT_EQ(to_text(name), "e3779b97f4a7c1500000000000000005");
  EXPECT_EQ(parse_task_name("e3779b97f4a7c1500000000000000005"), name);
}

TEST(TaskName, ANumberNeverGetsTheSameNameTwice) {
  EXPECT_NE(to_text(new_task_name(LaunchNumber(5), 0)), to_text(new_task_name(LaunchNumber(5), 0)));
}

TEST(TaskName, AnInvalidNameIsRejected) {
  const std::string good = to_text(new_task_name(LaunchNumber(1), 0));
  EXPECT_FALSE(parse_task_name(""));
  EXPECT_FALSE(parse_task_name(good.substr(1)));
  EXPECT_FALSE(parse_task_name(good + "0"));
  EXPECT_FALSE(parse_task_name(std::string(32, 'A')));
  EXPECT_FALSE(parse_task_name("0123456789abcdef0123456789abcde-"));
  EXPECT_FALSE(parse_task_name("12345678-1234-1234-1234-123456789012"));
}

}  // namespace
}  // namespace state
