// SPDX-License-Identifier: Apache-2.0
#include "wire/repeated_members.h"

#include <gtest/gtest.h>

namespace wire {
namespace {

TEST(RepeatedMembers, AreFoundAtAnyDepth) {
  EXPECT_TRUE(has_repeated_members(R"({"a":1,"a":2})"));
  EXPECT_TRUE(has_repeated_members(R"({"x":[{"b":{"a":1,"c":2,"a":3}}]})"));
  EXPECT_TRUE(has_repeated_members(R"({"\u0061":1,"a":2})")) << "however a name is written";
}

TEST(RepeatedMembers, DifferentObjectsMayShareNames) {
  EXPECT_FALSE(has_repeated_members(R"({"a":{"a":[{"a":1},{"a":2}]},"b":1})"));
  EXPECT_FALSE(has_repeated_members("[]"));
  EXPECT_FALSE(has_repeated_members(R"({"a":1,"a")")) << "not JSON";
}

}  // namespace
}  // namespace wire
