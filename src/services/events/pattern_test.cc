// SPDX-License-Identifier: Apache-2.0
// The examples of Amazon's pages on event patterns, and their edges.
#include "services/events/pattern.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace services::events {
namespace {

bool match(const std::string& pattern, const std::string& event) {
  const auto parsed = parse_pattern(pattern);
  EXPECT_TRUE(parsed) << pattern << ": " << (parsed ? "" : parsed.error());
  return parsed && matches(*parsed, boost::json::parse(event));
}

std::string problem(const std::string& pattern) {
  const auto parsed = parse_pattern(pattern);
  return parsed ? "" : parsed.error();
}

struct Case {
  const char* pattern;
  const char* event;
  bool expected;
};

class Matching : public testing::TestWithParam<Case> {};

TEST_P(Matching, FollowsTheDocumentation) {
  EXPECT_EQ(match(GetParam().pattern, GetParam().event), GetParam().expected)
      << GetParam().pattern << " on " << GetParam().event;
}

constexpr Case kExact[] = {
    {R"({"source":["aws.ecs"]})", R"({"source":"aws.ecs","x":1})", true},
    {R"({"source":["aws.ecs"]})", R"({"source":"aws.ECS"})", false},
    {R"({"source":["aws.ecs"]})", R"({})", false},
    {R"({"source":["a","b"]})", R"({"source":"b"})", true},
    {R"({"source":["a"],"detail":{"state":["up"]}})", R"({"source":"a","detail":{"state":"down"}})", false},
    {R"({"source":["a"],"detail":{"state":["up"]}})", R"({"source":"a","detail":{"state":"up","x":[]}})", true},
    {R"({"source":["a"],"detail":{"state":["up"]}})", R"({"source":"a","state":"up"})", false},
    {R"({"resources":["b"]})", R"({"resources":["a","b","c"]})", true},
    {R"({"resources":["d"]})", R"({"resources":["a","b","c"]})", false},
    {R"({"n":[300]})", R"({"n":300})", true},
    {R"({"n":[300]})", R"({"n":300.0})", true},
    {R"({"n":[300]})", R"({"n":"300"})", false},
    {R"({"n":["300"]})", R"({"n":300})", false},
    {R"({"n":[9007199254740993]})", R"({"n":9007199254740992})", false},
    {R"({"n":[null]})", R"({"n":null})", true},
    {R"({"n":[null]})", R"({"n":""})", false},
    {R"({"n":[""]})", R"({"n":""})", true},
    {R"({"n":[null]})", R"({})", false},
    {R"({"n":[true]})", R"({"n":true})", true},
    {R"({"n":[true]})", R"({"n":false})", false},
    {R"({"c":{"exitCode":[1]}})", R"({"c":[{"exitCode":0},{"exitCode":1}]})", true},
    {R"({"c":{"exitCode":[1],"name":["a"]}})", R"({"c":[{"exitCode":1,"name":"b"},{"exitCode":0,"name":"a"}]})", false},
    {R"({"n":["a"]})", R"({"n":{"n":"a"}})", false},
};
INSTANTIATE_TEST_SUITE_P(Exact, Matching, testing::ValuesIn(kExact));

constexpr Case kText[] = {
    {R"({"r":[{"prefix":"us-"}]})", R"({"r":"us-east-1"})", true},
    {R"({"r":[{"prefix":"us-"}]})", R"({"r":"eu-us-1"})", false},
    {R"({"r":[{"prefix":"us-"}]})", R"({"r":5})", false},
    {R"({"r":[{"prefix":{"equals-ignore-case":"Ev"}}]})", R"({"r":"eVent"})", true},
    {R"({"r":[{"prefix":{"equals-ignore-case":"Ev"}}]})", R"({"r":"e"})", false},
    {R"({"r":[{"suffix":".png"}]})", R"({"r":"a.png"})", true},
    {R"({"r":[{"suffix":".png"}]})", R"({"r":"a.PNG"})", false},
    {R"({"r":[{"suffix":{"equals-ignore-case":".png"}}]})", R"({"r":"a.PnG"})", true},
    {R"({"r":[{"equals-ignore-case":"alice"}]})", R"({"r":"AliCE"})", true},
    {R"({"r":[{"equals-ignore-case":"alice"}]})", R"({"r":"alic"})", false},
    {R"({"r":[{"wildcard":"dir/*/x*"}]})", R"({"r":"dir/a/b/x1"})", true},
    {R"({"r":[{"wildcard":"dir/*/x*"}]})", R"({"r":"dir/a/y1"})", false},
    {R"({"r":[{"wildcard":"*"}]})", R"({"r":""})", true},
    {R"({"r":[{"wildcard":"a*a"}]})", R"({"r":"a"})", false},
    {R"({"r":[{"wildcard":"a*aab*b"}]})", R"({"r":"aaaabb"})", true},
    {R"({"r":[{"wildcard":"5\\*3\\\\"}]})", R"({"r":"5*3\\"})", true},
    {R"({"r":[{"wildcard":"5\\*3"}]})", R"({"r":"5x3"})", false},
    {R"({"ip":[{"cidr":"10.0.0.0/24"}]})", R"({"ip":"10.0.0.255"})", true},
    {R"({"ip":[{"cidr":"10.0.0.0/24"}]})", R"({"ip":"10.0.1.0"})", false},
    {R"({"ip":[{"cidr":"10.0.0.0/24"}]})", R"({"ip":"not an address"})", false},
    {R"({"ip":[{"cidr":"2001:db8::/32"}]})", R"({"ip":"2001:db8:1::1"})", true},
};
INSTANTIATE_TEST_SUITE_P(Text, Matching, testing::ValuesIn(kText));

constexpr Case kOther[] = {
    {R"({"s":[{"anything-but":"init"}]})", R"({"s":"run"})", true},
    {R"({"s":[{"anything-but":"init"}]})", R"({"s":"init"})", false},
    {R"({"s":[{"anything-but":"init"}]})", R"({})", false},
    {R"({"s":[{"anything-but":["stop","over"]}]})", R"({"s":"over"})", false},
    {R"({"s":[{"anything-but":["stop","over"]}]})", R"({"s":"x"})", true},
    {R"({"s":[{"anything-but":[100,200]}]})", R"({"s":200})", false},
    {R"({"s":[{"anything-but":123}]})", R"({"s":456})", true},
    {R"({"s":[{"anything-but":{"prefix":"init"}}]})", R"({"s":"initial"})", false},
    {R"({"s":[{"anything-but":{"prefix":["init","error"]}}]})", R"({"s":"errors"})", false},
    {R"({"s":[{"anything-but":{"suffix":".txt"}}]})", R"({"s":"a.png"})", true},
    {R"({"s":[{"anything-but":{"wildcard":"*/lib/*"}}]})", R"({"s":"a/lib/b"})", false},
    {R"({"s":[{"anything-but":{"equals-ignore-case":["INIT"]}}]})", R"({"s":"init"})", false},
    {R"({"n":[{"numeric":[">",0,"<=",5]}]})", R"({"n":5})", true},
    {R"({"n":[{"numeric":[">",0,"<=",5]}]})", R"({"n":0})", false},
    {R"({"n":[{"numeric":[">",0,"<=",5]}]})", R"({"n":5.000001})", false},
    {R"({"n":[{"numeric":["=",3.018e2]}]})", R"({"n":301.8})", true},
    {R"({"n":[{"numeric":["<",10]}]})", R"({"n":-1e3})", true},
    {R"({"n":[{"numeric":["<",10]}]})", R"({"n":"5"})", false},
    {R"({"n":[{"exists":true}]})", R"({"n":null})", true},
    {R"({"n":[{"exists":true}]})", R"({"n":{"a":1}})", false},
    {R"({"n":[{"exists":false}]})", R"({"n":{"a":1}})", true},
    {R"({"n":[{"exists":false}]})", R"({"m":1})", true},
    {R"({"n":[{"exists":false}]})", R"({"n":1})", false},
    {R"({"d":{"n":[{"exists":false}]}})", R"({})", true},
    {R"({"n":[{"exists":false},"x"]})", R"({"n":"x"})", true},
    {R"({"$or":[{"a":[1]},{"b":[{"numeric":["<",5]}]}]})", R"({"b":4})", true},
    {R"({"$or":[{"a":[1]},{"b":[2]}]})", R"({"a":2,"b":1})", false},
    {R"({"s":["x"],"d":{"$or":[{"a":[1]},{"b":[2]}]}})", R"({"s":"x","d":{"b":2}})", true},
    {R"({"$or":[{"a":[1]},{"$or":[{"b":[1]},{"c":[1]}]}]})", R"({"c":1})", true},
    {R"({"$or":["x"]})", R"({"$or":"x"})", true},
    {R"({"$or":[{"prefix":"a"},{"prefix":"b"}]})", R"({"$or":"bc"})", true},
};
INSTANTIATE_TEST_SUITE_P(Other, Matching, testing::ValuesIn(kOther));

struct Invalid {
  const char* pattern;
  const char* reason;
};

TEST(Pattern, AnInvalidOneIsRejectedInAmazonsWords) {
  constexpr Invalid kInvalid[] = {
      {"[]", "Filter is not an object"},
      {R"({"source":"aws.ecs"})", "\"source\" must be an object or an array"},
      {R"({"source":[]})", "Empty arrays are not allowed"},
      {R"({})", "Empty objects are not allowed"},
      {R"({"source":[{"begins":"a"}]})", "Unrecognized match type begins"},
      {R"({"source":[{"prefix":"a","suffix":"b"}]})", "Only one key allowed in match expression"},
      {R"({"source":[{"prefix":1}]})", "prefix match pattern must be a string"},
      {R"({"source":[{"exists":1}]})", "exists match pattern must be either true or false."},
      {R"({"source":[{"numeric":5}]})", "Value of numeric must be an array."},
      {R"({"source":[{"numeric":["~",5]}]})", "Unrecognized numeric range operator: ~"},
      {R"({"source":[{"numeric":["<",5,">",1]}]})", "Unrecognized numeric range operator: <"},
      {R"({"source":[{"numeric":[">",5,"<",5]}]})", "Bottom must be less than top"},
      {R"({"source":[{"numeric":["<",6e9]}]})", "Value of numeric must be between -5.0E9 and 5.0E9, inclusive."},
      {R"({"source":[{"cidr":"10.0.0.0"}]})", "Malformed CIDR, one '/' required"},
      {R"({"source":[{"cidr":"10.0.0.0/33"}]})", "Malformed CIDR: 10.0.0.0/33"},
      {R"({"source":[{"wildcard":"a**"}]})", "Consecutive wildcard characters at pos 1"},
      {R"({"source":[{"anything-but":{"numeric":[1]}}]})", "Unsupported anything-but pattern: numeric"},
      {R"({"source":[{"anything-but":[]}]})", "Empty arrays are not allowed"},
      {R"({"source":[["a"]]})", "Match value must be String, number, true, false, or null"},
  };
  for (const Invalid& invalid : kInvalid) EXPECT_EQ(problem(invalid.pattern), invalid.reason) << invalid.pattern;
  EXPECT_EQ(problem("{").substr(0, 24), "Filter is not valid JSON");
}

TEST(Pattern, TooManyCombinationsOfAlternativesAreRejected) {
  std::string choice = R"([{"a":[1]},{"b":[1]},{"c":[1]},{"d":[1]},{"e":[1]},{"f":[1]},{"g":[1]},{"h":[1]},)"
                       R"({"i":[1]},{"j":[1]}])";
  EXPECT_EQ(problem(R"({"x":{"$or":)" + choice + R"(},"y":{"$or":)" + choice + R"(},"z":{"$or":)" + choice + "}}"), "");
  const std::string four = R"({"w":{"$or":)" + choice + R"(},"x":{"$or":)" + choice + R"(},"y":{"$or":)" + choice +
                           R"(},"z":{"$or":[{"a":[1]},{"b":[1]}]}})";
  EXPECT_NE(problem(four).find("more than 1000"), std::string::npos);
}

TEST(Pattern, ALongListIsLookedUpExactly) {
  const std::string list = R"({"n":[9007199254740993,9007199254740993,0.5,"a","a",null,null,true,{"prefix":"x"}]})";
  for (const char* leaf : {"9007199254740993", "0.5", "5e-1", "\"a\"", "null", "true", "\"xy\"", "[7,[0.5]]"}) {
    EXPECT_TRUE(match(list, std::string(R"({"n":)") + leaf + "}")) << leaf;
  }
  for (const char* leaf : {"9007199254740992", "0", "\"\"", "\"0.5\"", "false", "[]", "{}", "[7]"}) {
    EXPECT_FALSE(match(list, std::string(R"({"n":)") + leaf + "}")) << leaf;
  }
  EXPECT_FALSE(match(R"({"n":[{"anything-but":[1,2,2]}]})", R"({"n":2.0})"));
  EXPECT_TRUE(match(R"({"n":[{"anything-but":[1,2,2]}]})", R"({"n":"2"})"));
}

}  // namespace
}  // namespace services::events
