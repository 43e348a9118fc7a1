// SPDX-License-Identifier: Apache-2.0
#include "scheduler/expression.h"

#include <gtest/gtest.h>

namespace scheduler {
namespace {

model::Instance instance() {
  model::Instance made{.id = model::InstanceId("a1"), .ec2_instance_id = "i-abcd1234", .agent_connected = true};
  made.agent_version = "1.14.4";
  made.registered_at = *parse_date("2018-06-18T22:28:28Z");
  made.attributes = {{"ecs.instance-type", "g2.8xlarge"},
                     {"ecs.availability-zone", "us-east-1a"},
                     {"cores", "16"},
                     {"name-only", std::nullopt},
                     {"stack", "prod"}};
  return made;
}

std::vector<model::TaskHold> tasks() {
  return {{.task = model::TaskId("t1"), .group = "service:production", .started_by = "me", .running = true},
          {.task = model::TaskId("t2"), .group = "database", .running = false},
          {.task = model::TaskId("t3"), .group = "old", .running = true, .stopping = true}};
}

bool holds(std::string_view text) {
  base::Result<Expression> expression = Expression::parse(text);
  EXPECT_TRUE(expression) << text << ": " << expression.error();
  return expression && expression->matches(instance(), tasks());
}

std::string error_of(std::string_view text) {
  base::Result<Expression> expression = Expression::parse(text);
  EXPECT_FALSE(expression) << text;
  return expression ? "" : expression.error();
}

TEST(Expression, TheExamplesOfTheDeveloperGuide) {
  EXPECT_FALSE(holds("attribute:ecs.instance-type == t2.small"));
  EXPECT_TRUE(holds("attribute:ecs.availability-zone in [us-east-1a, us-east-1b]"));
  EXPECT_TRUE(holds("attribute:ecs.instance-type =~ g2.* and attribute:ecs.availability-zone != us-east-1d"));
  EXPECT_TRUE(holds("task:group == service:production"));
  EXPECT_FALSE(holds("not(task:group == database)"));
  EXPECT_TRUE(holds("agentVersion < 1.14.5"));
  EXPECT_FALSE(holds("registeredAt < 2018-02-13"));
  EXPECT_TRUE(holds("ec2InstanceId in ['i-abcd1234', 'i-wxyx7890']"));
  EXPECT_TRUE(holds("runningTasksCount == 2"));
}

TEST(Expression, EveryOperatorHasAWordAndASign) {
  EXPECT_TRUE(holds("attribute:stack equals prod"));
  EXPECT_TRUE(holds("attribute:stack = prod"));
  EXPECT_TRUE(holds("attribute:stack not_equals test"));
  EXPECT_TRUE(holds("attribute:cores greater_than 8 and attribute:cores > 9"));
  EXPECT_TRUE(holds("attribute:cores greater_than_equal 16 and attribute:cores >= 16"));
  EXPECT_TRUE(holds("attribute:cores less_than 17 and attribute:cores < 17"));
  EXPECT_TRUE(holds("attribute:cores less_than_equal 16 and attribute:cores <= 16"));
  EXPECT_TRUE(holds("attribute:stack exists"));
  EXPECT_TRUE(holds("attribute:none !exists and attribute:none not_exists"));
  EXPECT_TRUE(holds("attribute:stack !in [test, dev] and attribute:stack not_in [test]"));
  EXPECT_TRUE(holds("attribute:stack matches pr.d and attribute:stack not_matches x.*"));
  EXPECT_TRUE(holds("attribute:stack =~ pr.d && attribute:stack !~ x.*"));
}

TEST(Expression, AndBindsTighterThanOrAndParenthesesTighterThanBoth) {
  EXPECT_TRUE(holds("attribute:stack == prod or attribute:stack == x and attribute:stack == y"));
  EXPECT_FALSE(holds("(attribute:stack == prod or attribute:stack == x) and attribute:stack == y"));
  EXPECT_TRUE(holds("!(attribute:stack == x) && !attribute:stack == y"));
  EXPECT_TRUE(holds("attribute:stack==prod&&attribute:cores==16||attribute:cores==1"));
  EXPECT_TRUE(holds("not not attribute:stack == prod"));
}

TEST(Expression, KeywordsIgnoreCaseAndValuesDoNot) {
  EXPECT_TRUE(holds("attribute:stack EQUALS prod AND NOT attribute:stack IN [PROD]"));
  EXPECT_FALSE(holds("attribute:stack == Prod"));
  EXPECT_FALSE(holds("attribute:Stack exists"));
}

TEST(Expression, AnAttributeWithoutAValueExistsAndEqualsNothing) {
  EXPECT_TRUE(holds("attribute:name-only exists"));
  EXPECT_FALSE(holds("attribute:name-only == ''"));
  EXPECT_FALSE(holds("attribute:name-only =~ .*"));
}

TEST(Expression, ANegatedOperatorIsTrueIfTheAttributeIsAbsent) {
  EXPECT_TRUE(holds("attribute:none != x and attribute:none !in [x] and attribute:none !~ .*"));
  EXPECT_FALSE(holds("attribute:none == x or attribute:none < 5 or attribute:none > 5"));
}

TEST(Expression, NumbersAreOrderedAsNumbersAndTheRestAsText) {
  EXPECT_TRUE(holds("attribute:cores > 9"));
  EXPECT_TRUE(holds("attribute:stack > abc"));
  EXPECT_FALSE(holds("attribute:cores > 9x"));
}

TEST(Expression, APatternMustMatchTheWholeValue) {
  EXPECT_FALSE(holds("attribute:ecs.instance-type =~ g2"));
  EXPECT_TRUE(holds("attribute:ecs.instance-type =~ g[0-9]{1,2}\\.\\d+xlarge"));
  EXPECT_TRUE(holds("attribute:ecs.instance-type =~ 'g(2|3)\\..*'"));
  EXPECT_TRUE(holds("(attribute:ecs.instance-type =~ g2.*)"));
}

TEST(Expression, AQuotedValueMayHoldAnything) {
  EXPECT_FALSE(holds("attribute:stack == 'a b) and (c'"));
  EXPECT_TRUE(holds("attribute:stack == \"prod\""));
  EXPECT_TRUE(holds("attribute:stack in [ 'x y' , prod ]"));
}

TEST(Expression, VersionsAreComparedPartByPart) {
  EXPECT_TRUE(holds("agentVersion > 1.9.0"));
  EXPECT_TRUE(holds("agentVersion == 1.14.4.0"));
  EXPECT_EQ(compare_versions("1.9", "1.14.5"), -1);
  EXPECT_EQ(compare_versions("v1.2", "1.2.0"), 0);
  EXPECT_EQ(compare_versions("2", "1.99"), 1);
}

TEST(Expression, DatesHaveTheFormatsOfTheGuide) {
  EXPECT_TRUE(holds("registeredAt == 2018-06-18T22:28:28+00:00"));
  EXPECT_TRUE(holds("registeredAt == 2018-06-19T00:28:28+02:00"));
  EXPECT_TRUE(holds("registeredAt == 2018-06-18T22:28:28"));
  EXPECT_TRUE(holds("registeredAt >= 2018-06-18"));
  for (const char* bad : {"", "2018", "2018-13-01", "2018-02-30", "2018-06-18T", "2018-06-18T25:00:00",
                          "2018-06-18T22:28:28+1", "2018-06-18T22:28:28X00:00", "2018-06-18 22:28:28"}) {
    EXPECT_FALSE(parse_date(bad)) << bad;
  }
}

TEST(Expression, AStoppingTaskIsNotInItsGroup) {
  EXPECT_FALSE(holds("task:group == old"));
  EXPECT_TRUE(holds("task:startedBy == me"));
}

TEST(Expression, AgentConnectedIsTrueOrFalse) {
  EXPECT_TRUE(holds("agentConnected == true"));
  EXPECT_FALSE(holds("agentConnected == false"));
  EXPECT_TRUE(holds("agentConnected in [true]"));
}

TEST(Expression, AnErrorNamesItsColumn) {
  EXPECT_EQ(error_of(""), "column 1: expected a subject, as attribute:<name> or task:group");
  EXPECT_EQ(error_of("attribute:a"), "column 12: expected an operator, as ==, !=, in, =~ or exists");
  EXPECT_EQ(error_of("attribute:a == "), "column 16: expected a value");
  EXPECT_EQ(error_of("colour == red"), "column 1: no such subject: 'colour'");
  EXPECT_EQ(error_of("attribute:a == b c"), "column 18: expected the end, 'and' or 'or'");
  EXPECT_EQ(error_of("(attribute:a == b"), "column 18: expected ')'");
  EXPECT_EQ(error_of("attribute:a in b"), "column 16: expected '[' and a list");
  EXPECT_EQ(error_of("attribute:a in [b c]"), "column 19: expected ',' or ']'");
  EXPECT_EQ(error_of("attribute:a == 'b"), "column 16: this quote is not closed");
  EXPECT_EQ(error_of("runningTasksCount == many"), "column 22: expected a whole number");
  EXPECT_EQ(error_of("registeredAt < yesterday").substr(0, 10), "column 16:");
  EXPECT_EQ(error_of("attribute:a =~ *").substr(0, 37), "column 16: not a regular expression: ");
}

TEST(Expression, ASubjectAcceptsOnlyItsOwnOperators) {
  EXPECT_EQ(error_of("agentConnected > true"), "column 16: this subject does not take this operator");
  error_of("agentVersion =~ 1.*");
  error_of("runningTasksCount in [1]");
  error_of("registeredAt =~ 2018.*");
  error_of("ec2InstanceId < i-1");
  error_of("attribute: == b");
  error_of("attribute:a !equals b");
  error_of("attribute:a !not_in [b]");
}

TEST(Expression, LengthAndDepthHaveBounds) {
  EXPECT_NE(error_of(std::string(kMaxExpressionLength + 1, 'a')).find("2000"), std::string::npos);
  EXPECT_NE(error_of(std::string(1000, '(')).find("nested"), std::string::npos);
  EXPECT_NE(error_of(std::string(1000, '!')).find("nested"), std::string::npos);
  std::string wide = "attribute:stack == prod";
  while (wide.size() < 1900) wide += " and attribute:stack == prod";
  EXPECT_TRUE(holds(wide));
}

TEST(Expression, APatternDoesNotBacktrack) {
  Expression expression = *Expression::parse("attribute:long =~ '(a*)*(a*)*(a*)*(a*)*b'");
  model::Instance made = instance();
  made.attributes["long"] = std::string(100'000, 'a');  // without an end, if it did
  EXPECT_FALSE(expression.matches(made, {}));
  made.attributes["long"].value() += 'b';
  EXPECT_TRUE(expression.matches(made, {}));
}

}  // namespace
}  // namespace scheduler
