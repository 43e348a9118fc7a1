// SPDX-License-Identifier: Apache-2.0
#include "wire/json.h"

#include <gmock/gmock.h>

#include <cmath>

#include "wire/operation.h"
#include "wire/test_shapes.h"
#include "wire/timestamp.h"

namespace wire {
namespace {

using test::Everything;

Everything read_json(std::string_view text) {
  Everything value;
  read_json(type_of<Everything>(), text, &value);
  return value;
}

std::string write_json(const Everything& value) {
  std::string out;
  write_json(type_of<Everything>(), &value, out);
  return out;
}

// The message of the SerializationException, or "accepted".
std::string json_error(std::string_view text) {
  try {
    read_json(text);
  } catch (const ApiError& error) {
    EXPECT_EQ(error.code(), "SerializationException");
    return error.message();
  }
  return "accepted";
}

Everything every_json_member() {
  Everything value;
  value.Name = "n";
  value.Flag = true;
  value.Small = -1;
  value.Big = 9007199254740993;
  value.Single = 1.5f;
  value.Real = 0.1;
  value.When = base::from_millis(1793871010250);
  value.Bytes = base::Blob{std::string("\0\xFF", 2)};
  value.Words = {{"a", "\"b\"\n\x01"}};
  value.Grid = {{{1, 2}, {}}};
  value.Tags = {{{"k", "v"}}};
  value.Leaves = {{{"x", {"id", 7}}}};
  value.Rows = {{{"r", std::nullopt}}};
  value.Self = Everything{.Name = "inner"};
  value.namespace_ = "kernel";
  return value;
}

TEST(Json, ReadsBackWhatItWrote) { EXPECT_EQ(read_json(write_json(every_json_member())), every_json_member()); }

TEST(Json, AMapCanBeTheRoot) {
  using Map = std::map<std::string, std::string>;
  const Map map = {{"a", "1"}, {"b", ""}};
  std::string out;
  write_json(type_of<Map>(), &map, out);
  EXPECT_EQ(out, R"({"a":"1","b":""})");
  Map back;
  read_json(type_of<Map>(), out, &back);
  EXPECT_EQ(back, map);
}

TEST(Json, WritesEveryKind) {
  EXPECT_EQ(write_json(every_json_member()),
            R"({"Name":"n","Flag":true,"Small":-1,"Big":9007199254740993,"Single":1.5,"Real":0.1,)"
            R"("When":1793871010.25,"Bytes":"AP8=","Words":["a","\"b\"\n\u0001"],"Grid":[[1,2],[]],)"
            R"("Tags":{"k":"v"},"Leaves":{"x":{"Id":"id","Number":7}},"Rows":[{"Id":"r"}],)"
            R"("Self":{"Name":"inner"},"namespace":"kernel"})");
}

TEST(Json, AnEmptyBodyIsAnEmptyObject) { EXPECT_EQ(read_json(""), Everything{}); }

TEST(Json, IgnoresUnknownMembersAndNulls) {
  auto value =
      read_json(R"({"Unknown":{"a":[1,{"Name":"no"}]},"Name":"n","Flag":null,"Words":["a",null],"Tags":{"k":null}})");
  EXPECT_EQ(value.Name, "n");
  EXPECT_FALSE(value.Flag);
  EXPECT_EQ(value.Words, std::vector<std::string>{"a"});
  EXPECT_TRUE(value.Tags->empty());
}

TEST(Json, DecodesEscapesInKeysAndStrings) {
  auto value = read_json(R"({"N\u0061me":"\u00e9\ud83d\ude00\/\n"})");
  EXPECT_EQ(value.Name, "é😀/\n");
}

TEST(Json, RejectsWrongTypesWithAmazonsMessages) {
  EXPECT_EQ(json_error(R"({"Small":"1"})"), "STRING_VALUE can not be converted to an Integer");
  EXPECT_EQ(json_error(R"({"Name":1})"), "NUMBER_VALUE can not be converted to a String");
  EXPECT_EQ(json_error(R"({"Name":true})"), "TRUE_VALUE can not be converted to a String");
  EXPECT_EQ(json_error(R"({"Name":{}})"), "Start of structure or map found where not expected.");
  EXPECT_EQ(json_error(R"({"Name":[]})"), "Start of list found where not expected.");
  EXPECT_EQ(json_error(R"({"Words":"a"})"), "Expected list or null");
  EXPECT_EQ(json_error(R"({"One":"a"})"), "Expected null");
  EXPECT_EQ(json_error(R"({"Words":{}})"), "Start of structure or map found where not expected.");
}

TEST(Json, IntegersMustBeWholeAndInRange) {
  EXPECT_EQ(read_json(R"({"Small":7.0})").Small, 7);
  EXPECT_EQ(read_json(R"({"Big":1e3})").Big, 1000);
  EXPECT_EQ(read_json(R"({"Small":-2147483648})").Small, -2147483648);
  EXPECT_EQ(read_json(R"({"Big":-9223372036854775808})").Big, std::numeric_limits<std::int64_t>::min());
  for (const char* text : {R"({"Small":7.5})", R"({"Small":2147483648})", R"({"Big":9223372036854775808})",
                           R"({"Big":1e300})", R"({"Small":-2147483649})"}) {
    EXPECT_NE(json_error(text), "accepted") << text;
  }
}

TEST(Json, DoublesAreExactAndMayBeNanOrInfinity) {
  EXPECT_EQ(read_json(R"({"Real":123456789.12345679})").Real, 123456789.12345679);
  EXPECT_TRUE(std::isnan(*read_json(R"({"Real":"NaN"})").Real));
  EXPECT_EQ(read_json(R"({"Real":"-Infinity"})").Real, -INFINITY);
  Everything value;
  value.Real = NAN;
  EXPECT_THAT(write_json(value), testing::HasSubstr(R"("Real":"NaN")"));
}

TEST(Json, AWholeDoubleIsNotTakenForAnInteger) {
  Everything value;
  value.Real = -5;
  EXPECT_THAT(write_json(value), testing::HasSubstr(R"("Real":-5.0)"));
  value.Real = 1e300;
  EXPECT_EQ(read_json(write_json(value)).Real, 1e300);
}

TEST(Json, TimesAreSecondsOrIsoText) {
  EXPECT_EQ(read_json(R"({"When":1793871010.25})").When, base::from_millis(1793871010250));
  EXPECT_EQ(read_json(R"({"When":"2026-11-05T09:30:10Z"})").When, base::from_millis(1793871010000));
  EXPECT_NE(json_error(R"({"When":"soon"})"), "accepted");
  EXPECT_NE(json_error(R"({"When":1e300})"), "accepted");
}

TEST(Json, RejectsInvalidJson) {
  for (const char* text : {"{", "[]", "1", "null", "{} x", "{\"Name\":\"\xFF\"}", R"({"Name":"\ud800"})", R"({"a":1,})",
                           R"({"Bytes":"!"})", "{\"Name\":\"a\nb\"}"}) {
    EXPECT_NE(json_error(text), "accepted") << text;
  }
}

TEST(Json, DepthIsBounded) {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += R"({"Self":)";
  EXPECT_NE(json_error(deep + "{}" + std::string(100, '}')), "accepted");
  EXPECT_NE(json_error(R"({"Unknown":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}"), "accepted");
}

TEST(Json, ReportsMissingRequiredMembersWithTheirPaths) {
  Everything value;
  auto missing = read_json(type_of<Everything>(),
                           R"({"Rows":[{"Id":"a"},{"Id":null}],"Leaves":{"k":{}},"Self":{"One":{}}})", &value);
  std::vector<std::string> paths;
  for (const Violation& violation : missing) paths.push_back(violation.path);
  EXPECT_THAT(paths,
              testing::ElementsAre("rows.2.member.id", "leaves.k.member.id", "self.one.id", "self.name", "name"));
}

TEST(Json, AnEmptyRequiredStringIsNotMissing) {
  Everything value;
  EXPECT_THAT(read_json(type_of<Everything>(), R"({"Name":""})", &value), testing::IsEmpty());
}

constexpr ErrorSpec kSpecs[] = {{"NoQueue", "AWS.NoQueue", 404, true, ""}, {"Broken", "", 500, false, "com.other"}};
constexpr Service kService{
    .name = "q", .json_namespace = "com.q", .target_prefix = "Q", .query_compatible = true, .errors = kSpecs};

TEST(JsonProtocol, ErrorsCarryTheirNamespaceAndTheirQueryCode) {
  auto response = encode_error(Protocol::Json10, kService, ApiError("NoQueue", "No \"queue\""), "id");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body, R"({"__type":"com.q#NoQueue","message":"No \"queue\""})");
  EXPECT_EQ(response.headers.get("x-amzn-query-error"), "AWS.NoQueue;Sender");
  EXPECT_EQ(response.headers.get("x-amzn-RequestId"), "id");
  response = encode_error(Protocol::Json10, kService, ApiError("Broken", ""), "id");
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.headers.get("x-amzn-query-error"), "Broken;Receiver");
  EXPECT_THAT(response.body, testing::HasSubstr("com.other#Broken"));
}

TEST(JsonProtocol, AnErrorIsFoundByItsQueryCodeToo) {
  auto response = encode_error(Protocol::Json10, kService, ApiError("AWS.NoQueue", ""), "id");
  EXPECT_THAT(response.body, testing::HasSubstr("com.q#NoQueue"));
}

TEST(JsonProtocol, AClientEncodesARequestAndDecodesTheResponse) {
  Everything sent = every_json_member();
  Operation operation{"Do", &type_of<Everything>(), &type_of<Everything>()};
  OutgoingRequest request = encode_request(Protocol::Json10, kService, operation, &sent);
  EXPECT_EQ(request.headers.get("X-Amz-Target"), "Q.Do");
  EXPECT_EQ(request.headers.get("x-amzn-query-mode"), "true");
  Everything got;
  decode_request(Protocol::Json10, kService, operation, {"POST", "/", "", request.headers, request.body}, &got);
  EXPECT_EQ(got, sent);
  HttpResponse response = encode_response(Protocol::Json10, kService, operation, &got, "id");
  Everything back;
  decode_response(Protocol::Json10, kService, operation, response, &back);
  EXPECT_EQ(back, sent);
}

TEST(JsonProtocol, AClientThrowsTheErrorOfTheResponse) {
  HttpResponse response = encode_error(Protocol::Json10, kService, ApiError("NoQueue", "Gone"), "id");
  try {
    decode_response(Protocol::Json10, kService, {"Do"}, response, nullptr);
    FAIL();
  } catch (const ApiError& error) {
    EXPECT_EQ(error.code(), "NoQueue");
    EXPECT_EQ(error.message(), "Gone");
    EXPECT_EQ(error.status(), 404);
  }
  EXPECT_THROW(decode_response(Protocol::Json11, kService, {"Do"}, {502, {}, "<html>"}, nullptr), ApiError);
}

}  // namespace
}  // namespace wire
