// SPDX-License-Identifier: Apache-2.0
#include "ocr/request.h"

#include <gmock/gmock.h>

namespace ocr {
namespace {

using testing::HasSubstr;

TEST(Request, HasAnIdAFileAndMetadata) {
  const auto parsed = parse_request(R"({"id": "7", "input": "/tmp/a.png", "bucket": "b", "key": "in/a.png",
    "content_type": "image/png", "metadata": {"languages": "deu"}, "batch": {"index": 0, "size": 8}})");
  const Request& request = std::get<Request>(parsed);
  EXPECT_EQ(request.id, "7");
  EXPECT_EQ(request.input, "/tmp/a.png");
  EXPECT_EQ(request.metadata->at(kLanguagesKey), "deu");
}

TEST(Request, WithoutAFileIsAnsweredUnderItsId) {
  for (const char* line : {R"({"id": "7"})", R"({"id": "7", "input": ""})", R"({"id": "7", "input": null})",
                           R"({"id": "7", "input": "/tmp/a\u0000b"})", R"({"id": "7", "input": ["a"]})"}) {
    const auto parsed = parse_request(line);
    const BadRequest& bad = std::get<BadRequest>(parsed);
    EXPECT_EQ(bad.id, "7") << line;
    EXPECT_EQ(bad.failure.type, kInvalidRequest) << line;
  }
}

TEST(Request, ThatIsNoJsonObjectIsInvalid) {
  for (const char* line : {"", "hello", "[]", "{\"id\": 7}", "{\"id\": \"7\"", "{\"input\": \"/tmp/a\"}"}) {
    EXPECT_TRUE(std::holds_alternative<BadRequest>(parse_request(line))) << line;
  }
}

TEST(Answer, IsOneLine) {
  EXPECT_EQ(result_line("a\nb", {R"({"page":1})", "eng", "tesseract 5"}),
            R"({"id":"a\nb","result":{"pages":[{"page":1}],"languages":"eng","engine":"tesseract 5"}})" "\n");
  EXPECT_EQ(failure_line("1", {kBrokenFile, "line 1\nline 2"}),
            R"({"id":"1","error":{"type":"BrokenFile","message":"line 1\nline 2","permanent":true}})" "\n");
  EXPECT_EQ(failure_line("1", {kTimeout, "60 s"}), R"({"id":"1","error":{"type":"Timeout","message":"60 s"}})" "\n");
}

}  // namespace
}  // namespace ocr
