// SPDX-License-Identifier: Apache-2.0
#include "wire/query_json.h"

#include <gtest/gtest.h>

#include "wire/test_shapes.h"
#include "wire/type_of.h"

namespace wire {
namespace {

TEST(QueryJson, IsTheDocumentOfTheQueryProtocolInJson) {
  test::Everything value;
  value.Name = "a\"b";
  value.Small = 7;
  value.Tags = {{"x", "1"}, {"y", "2"}};
  value.Rows = std::vector<test::Leaf>{{"r", 1}};
  const Operation operation{"Do", &type_of<test::Everything>(), &type_of<test::Everything>()};
  const HttpResponse response = encode_query_json_response(operation, &value, "id-1");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.get("Content-Type"), "application/json");
  EXPECT_EQ(response.body,
            R"({"DoResponse":{"DoResult":{"Name":"a\"b","Small":7,"Tags":[{"Name":"x","Value":"1"},)"
            R"({"Name":"y","Value":"2"}],"rows":[{"Id":"r","Number":1}]},"ResponseMetadata":{"RequestId":"id-1"}}})");
  const Operation silent{"Do", &type_of<test::Everything>(), nullptr};
  EXPECT_EQ(encode_query_json_response(silent, nullptr, "id-1").body,
            R"({"DoResponse":{"ResponseMetadata":{"RequestId":"id-1"}}})");
}

TEST(QueryJson, AnErrorHasTheMembersOfTheXmlOne) {
  const Service service{.name = "sqs"};
  const HttpResponse response = encode_query_json_error(service, ApiError("InvalidAction", "Not \"valid\"."), "id-1");
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.body,
            R"({"Error":{"Code":"InvalidAction","Detail":null,"Message":"Not \"valid\".","Type":"Sender"},)"
            R"("RequestId":"id-1"})");
}

}  // namespace
}  // namespace wire
