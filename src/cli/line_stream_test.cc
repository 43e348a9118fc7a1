// SPDX-License-Identifier: Apache-2.0
#include "cli/line_stream.h"

#include <gmock/gmock.h>

#include "cli/fake_server.h"
#include "cli/log_stream.h"
#include "cli/profile.h"
#include "wire/error.h"

namespace cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class LineStream : public FakeServer {
 protected:
  // Reads until `most` lines. Returns the error, or "".
  std::string read(std::size_t most = 1000) {
    lines_.clear();
    const LineRequest request{"/lines?a=b", {.name = "ecs"}, "ecs", "the lines"};
    try {
      read_lines(read_profile(options_), request, [&](std::string_view line) {
        lines_.emplace_back(line);
        return lines_.size() < most;
      });
      return "";
    } catch (const wire::ApiError& error) {
      return error.code() + "/" + error.message();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  std::vector<std::string> lines_;
};

TEST_F(LineStream, LinesAreJoinedAcrossPieces) {
  reply_in_pieces("/lines", {"on", "e\ntw", "o\n\nthree\nincom", "plete\n"});
  EXPECT_EQ(read(), "");
  EXPECT_THAT(lines_, ElementsAre("one", "two", "", "three", "incomplete"));
  EXPECT_THAT(requests("/lines"), ElementsAre("a=b"));
}

TEST_F(LineStream, ALastLineWithoutItsEndIsIgnored) {
  reply("/lines", "one\ntwo");
  EXPECT_EQ(read(), "");
  EXPECT_THAT(lines_, ElementsAre("one"));
}

TEST_F(LineStream, ReadingStopsWhenTheCallerHasEnough) {
  reply_in_pieces("/lines", {"one\ntwo\n", "three\n"});
  EXPECT_EQ(read(2), "");
  EXPECT_THAT(lines_, ElementsAre("one", "two"));
}

TEST_F(LineStream, AnEmptyReplyHasNoLines) {
  reply("/lines", "");
  EXPECT_EQ(read(), "");
  EXPECT_TRUE(lines_.empty());
}

TEST_F(LineStream, AnErrorReplyIsThrownAsSuch) {
  reply_error("/lines", "InvalidParameterException", "no such task");
  EXPECT_EQ(read(), "InvalidParameterException/no such task");
  EXPECT_TRUE(lines_.empty());
}

TEST_F(LineStream, AStreamThatBreaksIsAnErrorAfterItsLines) {
  reply_in_pieces("/lines", {"one\ntw"}, true);
  EXPECT_THAT(read(), StartsWith("the lines ended early: "));
  EXPECT_THAT(lines_, ElementsAre("one"));
}

TEST_F(LineStream, AServerThatDoesNotRespondIsNamed) {
  std::ofstream(options_.data + "/endpoint") << "http://127.0.0.1:1\n";
  EXPECT_THAT(read(), StartsWith("http://127.0.0.1:1 does not respond: "));
}

using LogStreamTest = LineStream;

TEST_F(LogStreamTest, EachLineIsAnObject) {
  reply("/stoker/logs", R"({"container":"main","at":1500,"stream":"stderr","text":"a \"b\""})"
                        "\n"
                        R"({"container":"web","at":2500,"stream":"stdout","text":""})"
                        "\n");
  std::vector<std::string> got;
  read_logs(read_profile(options_), {"blue", "t1", std::nullopt, true, 5}, [&](LogLine line) {
    got.push_back(line.container + "|" + std::to_string(line.at) + "|" + line.stream + "|" + line.text);
    return true;
  });
  EXPECT_THAT(got, ElementsAre("main|1500|stderr|a \"b\"", "web|2500|stdout|"));
  EXPECT_THAT(requests("/stoker/logs"), ElementsAre("cluster=blue&task=t1&follow=true&tail=5"));
}

}  // namespace
}  // namespace cli
