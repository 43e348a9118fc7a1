// SPDX-License-Identifier: Apache-2.0
#include "cli/json.h"

#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <vector>

namespace cli {
namespace {

struct Sample {
  std::string name;
  std::optional<int> count;
  bool flag = false;
  std::vector<std::string> words;
};
BOOST_DESCRIBE_STRUCT(Sample, (), (name, count, flag, words))

std::string json_of(const Sample& sample) {
  std::ostringstream out;
  print_json(out, sample);
  return out.str();
}

TEST(Json, IsOneLineWithAllMembers) {
  EXPECT_EQ(json_of({"a", 3, true, {"x", "y"}}), R"({"name":"a","count":3,"flag":true,"words":["x","y"]})"
                                                 "\n");
}

TEST(Json, OmitsAbsentMembersAndKeepsEmptyLists) {
  EXPECT_EQ(json_of({}), R"({"name":"","flag":false,"words":[]})"
                         "\n");
}

TEST(Json, EscapesLineBreaksAndQuotes) {
  EXPECT_EQ(json_of({"a\n\"b\""}), R"({"name":"a\n\"b\"","flag":false,"words":[]})"
                                   "\n");
}

}  // namespace
}  // namespace cli
