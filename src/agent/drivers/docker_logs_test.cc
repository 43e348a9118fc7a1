// SPDX-License-Identifier: Apache-2.0
// The log file has a container's output completely and once, also after restarts.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "agent/drivers/docker_fixture.h"
#include "agent/drivers/docker_log_copy.h"

namespace agent::drivers {
namespace {

using DockerOutput = DockerTest;

TEST_F(DockerOutput, StreamsAreSeparateAndLongLinesComplete) {
  ContainerSpec spec = shell("main",
                             "head -c 40000 /dev/zero | tr '\\0' x; echo; echo problem >&2; "
                             "printf 'no end'");
  run_to_end(spec);
  std::map<std::string, std::string> streams;
  std::size_t partial = 0;
  LogReader reader(spec.log_file);
  for (const LogLine& line : reader.read(kAllLines)) {
    streams[line.stream] += line.text + (line.partial ? "" : "\n");
    partial += line.partial;
  }
  EXPECT_TRUE(streams["stdout"] == std::string(40000, 'x') + "\nno end\n");
  EXPECT_EQ(streams["stderr"], "problem\n");
  EXPECT_EQ(partial, 2u);
}

TEST_F(DockerOutput, AfterARestartOfTheAgentNothingIsLostOrRepeated) {
  // It does not end by itself: the start of an ended container would run it again.
  ContainerSpec spec =
      shell("main", "i=0; while [ $i -lt 300 ]; do echo $i; i=$((i+1)); usleep 5000; done; exec sleep 1000");
  const std::string id = start(spec);
  for (int rounds = 1; rounds <= 4; ++rounds) {
    const std::string reached = "\n" + std::to_string(rounds * 30) + "\n";
    ASSERT_TRUE(eventually([&] { return output(spec).find(reached) != std::string::npos; }));
    reopen();
    // As an agent adopts it: start() also resumes the copy of its output.
    ASSERT_TRUE(run(driver_->start(id)));
  }
  ASSERT_TRUE(eventually([&] { return output(spec).find("\n299\n") != std::string::npos; }));
  std::string expected;
  for (int i = 0; i < 300; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(output(spec), expected);
}

TEST_F(DockerOutput, OutputOfAContainerThatEndedDuringTheRestartIsCopied) {
  ContainerSpec spec = shell("main", "echo first; sleep 0.3; echo last");
  const std::string id = start(spec);
  reopen();
  wait(id);
  EXPECT_EQ(output(spec), "first\nlast\n");
}

TEST_F(DockerOutput, OutputOfATerminalIsOneStream) {
  ContainerSpec spec = shell("main", "echo one; echo two >&2; tty");
  spec.container.dockerConfig.config = R"({"Tty":true})";
  EXPECT_EQ(run_to_end(spec), "one\r\ntwo\r\n/dev/pts/0\r\n");
}

TEST_F(DockerOutput, OutputThatTheEngineDiscardsIsNotWaitedFor) {
  ContainerSpec spec = shell("main", "echo lost");
  spec.container.dockerConfig.hostConfig = R"({"LogConfig":{"Type":"none"}})";
  EXPECT_EQ(run_to_end(spec), "");
}

TEST_F(DockerOutput, WithAwslogsOutputGoesToTheFile) {
  ContainerSpec spec = shell("main", "echo kept");
  spec.container.dockerConfig.hostConfig =
      R"({"LogConfig":{"Type":"awslogs","Config":{"awslogs-group":"g","awslogs-region":"r"}}})";
  EXPECT_EQ(run_to_end(spec), "kept\n");
}

class DockerLogCopyTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  static std::string message(LogStream stream, const std::string& text) {
    std::string out(4, '\0');
    out[0] = stream == LogStream::Stderr ? 2 : 1;
    for (int shift : {24, 16, 8, 0}) out.push_back(static_cast<char>(text.size() >> shift));
    return out + text;
  }
  static std::string at(int nanos) { return fmt::format("2026-11-15T21:00:13.{:09}Z ", nanos); }
  std::string text() {
    std::string all;
    LogReader reader(path_);
    for (const LogLine& line : reader.read(kAllLines)) all += line.text + (line.partial ? "" : "|");
    return all;
  }
  const std::string path_ = testing::TempDir() + "stoker-copy-" + std::to_string(::getpid()) + ".log";
};

TEST_F(DockerLogCopyTest, LinesWithTheSameTimeAreCopiedOnce) {
  const std::string a = message(LogStream::Stdout, at(100) + "a\n");
  const std::string b = message(LogStream::Stdout, at(100) + "b\n");
  const std::string c = message(LogStream::Stdout, at(200) + "c\n");
  {
    auto copy = DockerLogCopy::open(path_, false);
    ASSERT_TRUE(copy);
    EXPECT_EQ(copy->begin(), "0");
    ASSERT_TRUE(copy->feed(a));
  }
  {
    auto copy = DockerLogCopy::open(path_, false);
    ASSERT_TRUE(copy);
    EXPECT_EQ(copy->begin(), "1794776413.000000100");
    ASSERT_TRUE(copy->feed(a + b + c));
    EXPECT_EQ(copy->begin(), "1794776413.000000100");
    ASSERT_TRUE(copy->feed(a + b + c));
  }
  EXPECT_EQ(text(), "a|b|c|");
}

TEST_F(DockerLogCopyTest, ALineInterruptedByARestartContinues) {
  const std::string first = message(LogStream::Stdout, at(1) + std::string(16384, 'x'));
  const std::string rest = message(LogStream::Stdout, at(1) + "yz\n");
  {
    auto copy = DockerLogCopy::open(path_, false);
    ASSERT_TRUE(copy);
    copy->begin();
    ASSERT_TRUE(copy->feed(first));
  }
  auto copy = DockerLogCopy::open(path_, false);
  ASSERT_TRUE(copy);
  copy->begin();
  ASSERT_TRUE(copy->feed(first + rest));
  EXPECT_EQ(text(), std::string(16384, 'x') + "|yz|");
}

TEST(DockerStreamTest, MessagesAreParsedWhereverTheStreamIsSplit) {
  const std::string bytes("\x01\0\0\0\0\0\0\x02hi\x02\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\x01!", 27);
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    DockerStream stream;
    std::string got;
    for (std::size_t i = 0; i < bytes.size(); i += step) {
      auto fed = stream.feed(bytes.substr(i, step), [&](LogStream kind, std::string_view text) {
        got += (kind == LogStream::Stderr ? "err:" : "out:") + std::string(text) + ";";
      });
      ASSERT_TRUE(fed);
    }
    EXPECT_EQ(got, "out:hi;err:;err:!;") << step;
    EXPECT_EQ(stream.waiting(), 0u);
  }
}

TEST(DockerStreamTest, AnInvalidFrameHeaderIsRejected) {
  for (std::string bytes :
       {std::string("HTTP/1.1"), std::string("\x01\0\0\0\x7f\0\0\0", 8), std::string("\x03\0\0\0\0\0\0\x01", 8)}) {
    DockerStream stream;
    EXPECT_FALSE(stream.feed(bytes, [](LogStream, std::string_view) {}));
  }
}

}  // namespace
}  // namespace agent::drivers
