// SPDX-License-Identifier: Apache-2.0
#include "wire/validate.h"

#include <gmock/gmock.h>

#include "wire/test_shapes.h"
#include "wire/type_of.h"

namespace wire {
namespace {

using test::Everything;

std::string message(const Everything& value) {
  auto found = validate(type_of<Everything>(), &value);
  return found.empty() ? "" : validation_message(found);
}

TEST(Validate, AValidValueHasNoViolations) { EXPECT_EQ(message({.Name = "n"}), ""); }

TEST(Validate, MessagesAreAmazons) {
  EXPECT_EQ(
      validation_message({{"queueUrl", Violation::Missing, "", "", "QueueUrl"}}),
      "1 validation error detected: Value null at 'queueUrl' failed to satisfy constraint: Member must not be null");
  EXPECT_EQ(message({.Name = ""}),
            "1 validation error detected: Value '' at 'name' failed to satisfy constraint: "
            "Member must have length greater than or equal to 1");
  EXPECT_EQ(message({.Name = "n", .Small = 11, .Color = "blue"}),
            "2 validation errors detected: Value '11' at 'small' failed to satisfy constraint: "
            "Member must have value less than or equal to 10; Value 'blue' at 'color' failed to satisfy constraint: "
            "Member must satisfy enum value set: [red, green]");
}

TEST(Validate, LengthsCountCharactersNotBytes) {
  EXPECT_EQ(message({.Name = "ééééé"}), "");
  EXPECT_THAT(message({.Name = "éééééé"}), testing::HasSubstr("less than or equal to 5"));
}

TEST(Validate, ReportsInvalidElementsWithTheirPaths) {
  Everything value{.Name = "n", .Words = {{"abc", "abcd", "x"}}, .Rows = {{{""}}}};
  auto found = validate(type_of<Everything>(), &value);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].path, "words");
  EXPECT_EQ(found[1].path, "words.2.member");
  EXPECT_EQ(found[1].member, "Words");
  EXPECT_EQ(found[2].path, "rows.1.member.id");
}

TEST(Validate, ListsArePrintedAsByJava) {
  EXPECT_THAT(message({.Name = "n", .Words = {{"a", "b", "c"}}}), testing::HasSubstr("Value '[a, b, c]' at 'words'"));
}

TEST(Validate, PatternsMatchTheWholeText) {
  EXPECT_EQ(message({.Name = "n", .namespace_ = "abc"}), "");
  EXPECT_THAT(message({.Name = "n", .namespace_ = "abc1"}), testing::HasSubstr("at 'namespace' failed"));
}

TEST(Validate, MatchesLongText) { EXPECT_EQ(message({.Name = "n", .namespace_ = std::string(1'000'000, 'a')}), ""); }

TEST(Validate, TheListOfViolationsIsBounded) {
  Everything value{.Name = "n", .Rows = std::vector<test::Leaf>(1000)};
  EXPECT_EQ(validate(type_of<Everything>(), &value).size(), kMaxViolations);
}

}  // namespace
}  // namespace wire
