// SPDX-License-Identifier: Apache-2.0
#include "wire/query.h"

#include <gmock/gmock.h>

#include "wire/operation.h"
#include "wire/test_shapes.h"

namespace wire {
namespace {

using test::Everything;

Everything read_query(std::string_view form, QueryDialect dialect = QueryDialect::Query) {
  QueryParameters parameters;
  parameters.add(form);
  parameters.sort();
  Everything value;
  read_query(type_of<Everything>(), dialect, parameters, &value);
  return value;
}

std::string query_error(std::string_view form) {
  try {
    read_query(form);
  } catch (const ApiError& error) {
    return error.code();
  }
  return "accepted";
}

TEST(Query, ReadsScalarsOfEveryKind) {
  auto value = read_query(
      "Name=a+b%26&Flag=true&Small=-1&Big=9007199254740993&Real=2.5&When=2026-11-05T09%3A30%3A10Z&Bytes=AP8%3D");
  EXPECT_EQ(value.Name, "a b&");
  EXPECT_EQ(value.Flag, true);
  EXPECT_EQ(value.Small, -1);
  EXPECT_EQ(value.Big, 9007199254740993);
  EXPECT_EQ(value.Real, 2.5);
  EXPECT_EQ(value.When, base::from_millis(1793871010000));
  EXPECT_EQ(value.Bytes->bytes, std::string("\0\xFF", 2));
}

TEST(Query, ReadsListsInBothFormsInTheOrderOfTheirNumbers) {
  std::vector<std::string> expected = {"a", "b", "c"};
  EXPECT_EQ(read_query("Words.member.10=c&Words.member.2=b&Words.member.1=a").Words, expected);
  EXPECT_EQ(read_query("Words.1=a&Words.2=b&Words.10=c").Words, expected);
  EXPECT_EQ(read_query("FlatItem.1=a&FlatItem.2=b&FlatItem.10=c").Flat, expected);
  EXPECT_EQ(read_query("Flat.1=a&Flat.2=b&Flat.10=c").Flat, expected);
  EXPECT_EQ(read_query("Flat.member.1=a&Flat.member.2=b&Flat.member.10=c").Flat, expected);
}

TEST(Query, AnEmptyListIsPresent) { EXPECT_EQ(read_query("Words=").Words, std::vector<std::string>{}); }

TEST(Query, AHugeIndexOnlyDefinesTheOrder) {
  EXPECT_EQ(read_query("Words.member.999999999999=b&Words.member.1=a").Words, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read_query("Words.member.99999999999999999999999=b").Words, std::vector<std::string>{});
}

TEST(Query, ReadsListsOfListsAndOfStructs) {
  auto value =
      read_query("Grid.row.1.n.1=1&Grid.row.1.n.2=2&Grid.row.2.n.1=3&Rows.member.1.Id=x&Rows.member.1.Number=4");
  EXPECT_EQ(value.Grid, (std::vector<std::vector<std::int32_t>>{{1, 2}, {3}}));
  EXPECT_EQ(value.Rows, (std::vector<test::Leaf>{{"x", 4}}));
}

TEST(Query, ReadsMapsFlattenedOrNot) {
  auto value = read_query("Tag.1.Key=a&Tag.1.Value=1&Tag.2.Key=b&Leaves.entry.1.key=k&Leaves.entry.1.value.Id=x");
  EXPECT_EQ(value.Tags, (std::map<std::string, std::string>{{"a", "1"}, {"b", ""}}));
  EXPECT_EQ(value.Leaves, (std::map<std::string, test::Leaf>{{"k", {"x", std::nullopt}}}));
  EXPECT_EQ(query_error("Tag.1.Value=1"), "InvalidParameterValue");
}

TEST(Query, NamesWithACommonPrefixDoNotMix) {
  auto value = read_query("One.Id=a&One-Id=b&One/Id=c&OneId=d&Flat-1=x&FlatItem.1-1=y&FlatItem.1=z");
  EXPECT_EQ(value.One, (test::Leaf{"a", std::nullopt}));
  EXPECT_EQ(value.Flat, std::vector<std::string>{"z"});
}

TEST(Query, TheFirstOfTwoEqualNamesCounts) { EXPECT_EQ(read_query("Name=a&Name=b").Name, "a"); }

TEST(Query, EC2CapitalizesNames) {
  EXPECT_EQ(read_query("Mark=x&Namespace=ns&FlatItem.1=a", QueryDialect::Ec2).namespace_, "ns");
  EXPECT_EQ(read_query("Mark=x", QueryDialect::Ec2).Mark, "x");
}

TEST(Query, RejectsInvalidValues) {
  EXPECT_EQ(query_error("Small=x"), "InvalidParameterValue");
  EXPECT_EQ(query_error("Small=99999999999"), "InvalidParameterValue");
  EXPECT_EQ(query_error("Flag=yes"), "InvalidParameterValue");
  EXPECT_EQ(query_error("Bytes=%21"), "InvalidParameterValue");
  EXPECT_EQ(query_error("Name=%FF"), "InvalidParameterValue");
  EXPECT_EQ(query_error("Name=%G"), "MalformedQueryString");
}

TEST(Query, DepthAndCountAreBounded) {
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "Self.";
  EXPECT_EQ(query_error(deep + "Name=x"), "MalformedQueryString");
  std::string many;
  for (int i = 0; i < 100'001; ++i) many += "a&";
  EXPECT_EQ(query_error(many), "MalformedQueryString");
}

TEST(Query, ReportsMissingRequiredMembers) {
  QueryParameters parameters;
  parameters.add("Rows.member.4.Number=1&Leaves.entry.1.key=k&Leaves.entry.1.value.Number=1");
  parameters.sort();
  Everything value;
  auto missing = read_query(type_of<Everything>(), QueryDialect::Query, parameters, &value);
  std::vector<std::string> paths;
  for (const Violation& violation : missing) paths.push_back(violation.path);
  EXPECT_THAT(paths, testing::ElementsAre("leaves.k.member.id", "rows.1.member.id", "name"));
}

TEST(QueryProtocol, ReadsParametersFromTheUrlAndTheBody) {
  Everything value;
  base::Headers headers;
  Operation operation{"Do", &type_of<Everything>()};
  decode_request(Protocol::Query, {}, operation, {"GET", "/", "Action=Do&Name=a", headers, "Small=3"}, &value);
  EXPECT_EQ(value.Name, "a");
  EXPECT_EQ(value.Small, 3);
}

}  // namespace
}  // namespace wire
