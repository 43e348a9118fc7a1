// SPDX-License-Identifier: Apache-2.0
#include "services/logs/writer_cursor.h"

#include <gmock/gmock.h>

#include "services/logs/logs_fixture.h"

namespace services::logs {
namespace {

class WriterCursor : public LogsTest {
 protected:
  WriterCursor() {
    make_group("web");
    make_stream("web", "a");
  }
  // "", or the error of a batch with this token.
  std::string put_with(const std::string& token, const std::string& message = "m") {
    PutLogEventsRequest request;
    request.logGroupName = "web";
    request.logStreamName = "a";
    request.logEvents = {{base::to_millis(now_), message}};
    request.sequenceToken = token;
    return error_of([&] { run<PutLogEventsResponse>("PutLogEvents", request); });
  }
};

TEST_F(WriterCursor, ABatchIsStoredOnlyAtTheStreamsCursor) {
  EXPECT_EQ(put_with("stoker/1  a@1"), "");
  EXPECT_EQ(put_with("stoker/1  a@1"),
            "InvalidSequenceTokenException: The given sequenceToken is invalid. The next expected sequenceToken is: a@1");
  EXPECT_EQ(put_with("stoker/1 a@1 a@2"), "");
  EXPECT_EQ(put_with("stoker/1 a@1 a@3"),
            "InvalidSequenceTokenException: The given sequenceToken is invalid. The next expected sequenceToken is: a@2");
  EXPECT_EQ(count_rows("log_batches"), 2);
}

TEST_F(WriterCursor, ABatchThatFailsDoesNotMoveTheCursor) {
  EXPECT_EQ(put_with("stoker/1  a@1"), "");
  EXPECT_NE(put_with("stoker/1 a@1 a@2", std::string(1048576, 'x')), "");
  EXPECT_EQ(put_with("stoker/1 a@1 a@3"), "");
}

TEST_F(WriterCursor, OtherTokensAreIgnored) {
  const std::string strange[] = {"49039859500000000000000000000000000000000000000000000001", "stoker/1 ", "stoker/1 x",
                                 "stoker/1 a ", std::string("stoker/1 a b\0", 13), "stoker/1 a " + std::string(600, 'x')};
  for (const std::string& token : strange) {
    EXPECT_FALSE(parse_writer_token(token)) << token;
    EXPECT_EQ(put_with(token), "") << token;
  }
  EXPECT_EQ(count_rows("log_batches"), 6);
}

}  // namespace
}  // namespace services::logs
