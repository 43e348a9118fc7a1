// SPDX-License-Identifier: Apache-2.0
#include "wire/http_binding.h"

#include <gmock/gmock.h>

#include <boost/describe/class.hpp>

namespace wire::test {

struct Bound {
  std::string Bucket;
  std::string Key;
  std::optional<std::int32_t> Max;
  std::optional<std::vector<std::string>> Names;
  std::optional<std::map<std::string, std::string>> Rest;
  std::optional<std::vector<base::Time>> Dates;
  std::optional<std::vector<std::string>> Quoted;
  std::optional<std::map<std::string, std::string>> Metadata;
  std::optional<std::int32_t> Status;
  std::optional<base::Blob> Body;
};
BOOST_DESCRIBE_STRUCT(Bound, (), (Bucket, Key, Max, Names, Rest, Dates, Quoted, Metadata, Status, Body))

}  // namespace wire::test

template <>
inline constexpr auto wire::kTraits<wire::test::Bound> =
    wire::traits({.payload = "Body"}, {
                                          {.member = "Bucket", .required = true, .in = wire::In::Label, .at = "Bucket"},
                                          {.member = "Key", .required = true, .in = wire::In::Label, .at = "Key"},
                                          {.member = "Max", .in = wire::In::Query, .at = "max-keys"},
                                          {.member = "Names", .in = wire::In::Query, .at = "name"},
                                          {.member = "Rest", .in = wire::In::Query, .at = ""},
                                          {.member = "Dates", .in = wire::In::Header, .at = "x-dates"},
                                          {.member = "Quoted", .in = wire::In::Header, .at = "x-quoted"},
                                          {.member = "Metadata", .in = wire::In::Headers, .at = "x-amz-meta-"},
                                          {.member = "Status", .in = wire::In::StatusCode},
                                      });

namespace wire {
namespace {

using test::Bound;

constexpr HttpBinding kObject{"PUT", "/{Bucket}/{Key+}?x-id=Put", 200};
const Operation kOperation{"Put", &type_of<Bound>(), &type_of<Bound>(), kObject};

std::vector<Violation> decode(const HttpRequest& request, Bound& value) {
  return decode_request(Protocol::RestXml, {}, kOperation, request, &value);
}

TEST(HttpBinding, ReadsLabelsFromThePath) {
  Bound value;
  base::Headers none;
  EXPECT_THAT(decode({"PUT", "/pho%20tos/a%2Fb//c+d/", "", none, ""}, value), testing::IsEmpty());
  EXPECT_EQ(value.Bucket, "pho tos");
  EXPECT_EQ(value.Key, "a/b//c+d/");
  EXPECT_FALSE(value.Body);
}

TEST(HttpBinding, ReportsAMissingLabel) {
  Bound value;
  base::Headers none;
  auto missing = decode({"PUT", "/photos", "", none, ""}, value);
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].path, "key");
}

TEST(HttpBinding, ReadsScalarsListsAndUnboundParametersFromTheQuery) {
  Bound value;
  base::Headers none;
  decode({"PUT", "/b/k", "max-keys=5&name=a&name=b%26&other=1&other=2&flag", none, "bytes"}, value);
  EXPECT_EQ(value.Max, 5);
  EXPECT_EQ(value.Names, (std::vector<std::string>{"a", "b&"}));
  EXPECT_EQ(value.Rest, (std::map<std::string, std::string>{{"other", "1"}, {"flag", ""}}));
  EXPECT_EQ(value.Body->bytes, "bytes");
  EXPECT_THROW(decode({"PUT", "/b/k", "max-keys=x", none, ""}, value), ApiError);
  Bound unsaid;
  decode({"PUT", "/b/k", "max-keys=", none, ""}, unsaid);
  EXPECT_FALSE(unsaid.Max);
  EXPECT_THROW(decode({"PUT", "/b/k%", "", none, ""}, value), ApiError);
}

TEST(HttpBinding, ReadsListsDatesAndMetadataFromHeaders) {
  Bound value;
  base::Headers headers{{"X-Dates", "Thu, 05 Nov 2026 09:30:10 GMT, Thu, 05 Nov 2026 09:30:11 GMT"},
                        {"x-quoted", "a, \"b, \\\"c\\\"\",d"},
                        {"X-Amz-Meta-Source", "Scanner"}};
  decode({"PUT", "/b/k", "", headers, ""}, value);
  EXPECT_EQ(value.Dates, (std::vector<base::Time>{base::from_seconds(1793871010), base::from_seconds(1793871011)}));
  EXPECT_EQ(value.Quoted, (std::vector<std::string>{"a", "b, \"c\"", "d"}));
  EXPECT_EQ(value.Metadata, (std::map<std::string, std::string>{{"source", "Scanner"}}));
}

TEST(HttpBinding, WritesHeadersStatusAndPayload) {
  Bound value{
      .Quoted = {{"a", "b, \"c\""}}, .Metadata = {{{"k", "v\r\nx-evil: 1"}}}, .Status = 206, .Body = base::Blob{"z"}};
  auto response = encode_response(Protocol::RestXml, {}, kOperation, &value, "id");
  EXPECT_EQ(response.status, 206);
  EXPECT_EQ(response.headers.get("x-quoted"), "a, \"b, \\\"c\\\"\"");
  EXPECT_EQ(response.headers.get("x-amz-meta-k"), "v  x-evil: 1");
  EXPECT_EQ(response.headers.get("x-amz-request-id"), "id");
  EXPECT_EQ(response.body, "z");
}

}  // namespace
}  // namespace wire
