// SPDX-License-Identifier: Apache-2.0
#include "doors/agents/log_streams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace doors::agents {
namespace {

using shapes::agent::StokerLogLines;
using testing::IsEmpty;
using testing::SizeIs;

const model::InstanceId kMachine("m"), kOther("other");

StokerLogLines lines(const std::string& id, const std::string& text, std::size_t count = 1) {
  StokerLogLines out;
  out.requestId = id;
  for (std::size_t i = 0; i < count; ++i) out.lines.push_back({"c", 0, "stdout", text});
  return out;
}

class LogStreamsTest : public testing::Test {
 protected:
  LogStreamsTest() { streams_.open("s", kMachine); }

  api::Topics topics_;
  LogStreams streams_{topics_};
};

TEST_F(LogStreamsTest, LinesAreKeptUntilTheyAreTaken) {
  EXPECT_TRUE(streams_.put(kMachine, lines("s", "one")));
  EXPECT_TRUE(streams_.put(kMachine, lines("s", "two")));
  const auto taken = streams_.take("s");
  ASSERT_THAT(taken, SizeIs(2));
  EXPECT_EQ(taken[1].lines.at(0).text, "two");
  EXPECT_THAT(streams_.take("s"), IsEmpty());
}

TEST_F(LogStreamsTest, LinesOfAnotherMachineAreRejected) {
  EXPECT_FALSE(streams_.put(kOther, lines("s", "forged")));
  EXPECT_THAT(streams_.take("s"), IsEmpty());
}

TEST_F(LogStreamsTest, LinesOfAStreamThatIsNotOpenAreRejected) {
  EXPECT_FALSE(streams_.put(kMachine, lines("unknown", "one")));
  streams_.close("s");
  EXPECT_FALSE(streams_.put(kMachine, lines("s", "late")));
  EXPECT_THAT(streams_.take("s"), IsEmpty());
}

TEST_F(LogStreamsTest, EveryMemberCounts) {
  const std::string mebibyte(1024 * 1024, 'x');
  std::vector<StokerLogLines> large(3);
  for (StokerLogLines& one : large) one.requestId = "s";
  large[0].error = mebibyte;
  large[1].lines.push_back({mebibyte, 0, "stdout", ""});
  large[2].lines.push_back({"c", 0, mebibyte, ""});
  for (const StokerLogLines& one : large) {
    int accepted = 0;
    while (accepted < 100 && streams_.put(kMachine, one)) ++accepted;
    EXPECT_LT(accepted, 17);
    streams_.take("s");
  }
}

TEST_F(LogStreamsTest, AReaderThatIsTooSlowLosesItsStream) {
  const std::string mebibyte(1024 * 1024, 'x');
  int accepted = 0;
  while (accepted < 100 && streams_.put(kMachine, lines("s", mebibyte))) ++accepted;
  EXPECT_LT(accepted, 17);
  const auto taken = streams_.take("s");
  ASSERT_THAT(taken, SizeIs(1));
  EXPECT_TRUE(taken[0].end);
  EXPECT_TRUE(taken[0].error);
  EXPECT_THAT(taken[0].lines, IsEmpty());
}

TEST_F(LogStreamsTest, TakenLinesDoNotCountAgainstTheLimit) {
  const std::string mebibyte(1024 * 1024, 'x');
  for (int i = 0; i < 40; ++i) {
    EXPECT_TRUE(streams_.put(kMachine, lines("s", mebibyte)));
    streams_.take("s");
  }
}

TEST_F(LogStreamsTest, ADepartedAgentEndsItsStreamsAndNoOthers) {
  streams_.open("of other", kOther);
  streams_.end_all_of(kMachine);
  const auto taken = streams_.take("s");
  ASSERT_THAT(taken, SizeIs(1));
  EXPECT_TRUE(taken[0].end);
  EXPECT_TRUE(taken[0].error);
  EXPECT_THAT(streams_.take("of other"), IsEmpty());
}

TEST_F(LogStreamsTest, EachChangeWakesTheReader) {
  const auto woken = [&](auto change) {
    const std::uint64_t before = topics_.seen();
    change();
    return topics_.seen() > before;
  };
  EXPECT_TRUE(woken([&] { streams_.put(kMachine, lines("s", "one")); }));
  EXPECT_TRUE(woken([&] { streams_.end_all_of(kMachine); }));
  EXPECT_FALSE(woken([&] { streams_.put(kMachine, lines("unknown", "one")); }));
}

}  // namespace
}  // namespace doors::agents
