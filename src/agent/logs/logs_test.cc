// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "agent/logs/batch.h"
#include "agent/logs/datetime_format.h"

namespace agent::logs {
namespace {

using drivers::LogStream;
using drivers::LogTime;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

shapes::agent::Container container_with(const std::string& config) {
  shapes::agent::Container container;
  container.dockerConfig.hostConfig = R"({"LogConfig":{"Type":"awslogs","Config":)" + config + "}}";
  return container;
}

TEST(AwslogsOptions, AreReadFromThePayload) {
  const auto options = awslogs_options(container_with(
      R"({"awslogs-group":"g","awslogs-region":"r","awslogs-stream":"p/c/t","awslogs-create-group":"true",)"
      R"("mode":"non-blocking","max-buffer-size":"4m","awslogs-force-flush-interval-seconds":"2"})"));
  ASSERT_TRUE(options && *options);
  EXPECT_EQ((*options)->group, "g");
  EXPECT_EQ((*options)->region, "r");
  EXPECT_EQ((*options)->stream, "p/c/t");
  EXPECT_TRUE((*options)->create_group);
  EXPECT_FALSE((*options)->blocking);
  EXPECT_EQ((*options)->max_unsent_bytes, 4 << 20);
  EXPECT_EQ((*options)->flush_interval, std::chrono::seconds(2));
}

TEST(AwslogsOptions, AContainerWithAnotherDriverHasNone) {
  shapes::agent::Container container;
  EXPECT_FALSE(awslogs_options(container));
  container.dockerConfig.hostConfig = R"({"LogConfig":{"Type":"json-file","Config":{}}})";
  EXPECT_FALSE(awslogs_options(container));
}

TEST(AwslogsOptions, AnInvalidPatternIsAnErrorInDockersWords) {
  const auto options = awslogs_options(
      container_with(R"({"awslogs-group":"g","awslogs-region":"r","awslogs-multiline-pattern":"("})"));
  ASSERT_TRUE(options);
  ASSERT_FALSE(*options);
  EXPECT_THAT(options->error(), HasSubstr("awslogs could not parse multiline pattern key \"(\""));
}

TEST(AwslogsOptions, SizesHaveDockersUnits) {
  EXPECT_EQ(parse_size("10m"), 10 << 20);
  EXPECT_EQ(parse_size("512k"), 512 << 10);
  EXPECT_EQ(parse_size("1GB"), 1 << 30);
  EXPECT_EQ(parse_size("4096"), 4096);
  for (const char* invalid : {"", "m", "-1m", "1x", "0", "99999999999999g"}) EXPECT_FALSE(parse_size(invalid)) << invalid;
}

TEST(DatetimeFormat, FindsTimesOfItsFormat) {
  struct Case {
    const char *format, *line;
    bool found;
  };
  const Case cases[] = {
      {"\\[%b %d, %Y %H:%M:%S\\]", "[May 01, 2017 19:00:01] A message was logged", true},
      {"\\[%b %d, %Y %H:%M:%S\\]", "Another multiline message", false},
      {"%Y-%m-%d %H:%M:%S%L", "2026-11-16 08:09:10.123 x", true},
      {"%Y-%m-%d", "2026-13-16", false},
      {"%A, %d %B %Y", "it was Monday, 16 November 2026", true},
      {"%y/%j %I:%M %p", "26/320 08:09 AM", true},
      {"%H:%M:%S.%f %z", "08:09:10.123456 +0100", true},
      {"%a %w %Z", "Mon 1 CET", true},
      {"%Qx", "x", true},
  };
  for (const Case& one : cases) {
    const RE2 pattern(datetime_pattern(one.format));
    ASSERT_TRUE(pattern.ok()) << one.format;
    EXPECT_EQ(RE2::PartialMatch(one.line, pattern), one.found) << one.format << " " << one.line;
  }
}

TEST(CursorText, IsReadAsItWasWritten) {
  const Cursor cursor{{"2026-11-15T21:00:13.123456789Z", 4711}, {"2026-11-15T20:00:13.000000001Z", 40}, 1794776413123};
  EXPECT_EQ(parse_cursor(to_text(cursor)), cursor);
  for (const char* invalid : {"", "a@1", "a@1,b@2", "a@1,b@x,3", "a@1,b@2,", "a,b@2,3", "a@-1,b@2,3"}) {
    EXPECT_FALSE(parse_cursor(invalid)) << invalid;
  }
}

TEST(CursorText, TheServersCursorIsInTheMessageOfItsError) {
  EXPECT_EQ(expected_token("The given sequenceToken is invalid. The next expected sequenceToken is: a@1,a@1,5"),
            "a@1,a@1,5");
  EXPECT_FALSE(expected_token("something else"));
}

class LogFile : public testing::Test {
 protected:
  LogFile() {
    std::string name = (std::filesystem::temp_directory_path() / "agent_logs.XXXXXX").string();
    folder_ = mkdtemp(name.data());
    path_ = folder_ + "/c.log";
    open_writer(drivers::kMaxLogBytes);
  }
  ~LogFile() override {
    writer_.reset();
    std::filesystem::remove_all(folder_);
  }
  void open_writer(std::size_t max_bytes) {
    writer_.reset();
    writer_.emplace(std::move(*drivers::LogWriter::open(path_, max_bytes)));
  }
  void write(const std::string& text, LogStream stream = LogStream::Stdout) {
    writer_->append(stream, at_, text);
    at_ += std::chrono::milliseconds(1);
  }
  static std::vector<std::string> messages(const Batch& batch) {
    std::vector<std::string> texts;
    for (const Event& event : batch.events) texts.push_back(event.message);
    return texts;
  }
  // The same, with long runs of w shortened, for messages that a person can read.
  static void add_short(const Batch& batch, std::vector<std::string>& texts) {
    for (std::string text : messages(batch)) {
      RE2::GlobalReplace(&text, "w{100,}", "<many w>" + std::to_string(std::count(text.begin(), text.end(), 'w')));
      texts.push_back(std::move(text));
    }
  }

  std::string folder_, path_;
  std::optional<drivers::LogWriter> writer_;
  LogTime at_ = std::chrono::sys_seconds(std::chrono::seconds(1'800'000'000));
  AwslogsOptions options_;
};

TEST_F(LogFile, EachLineIsAnEventAndEmptyLinesAreNone) {
  write("one\n\ntwo\r\nthr");
  write("error\n", LogStream::Stderr);
  write("ee\n");
  BatchReader reader(path_, options_);
  const Batch& batch = reader.read();
  EXPECT_THAT(messages(batch), ElementsAre("one", "two\r", "error", "three"));
  EXPECT_EQ(batch.events[0].timestamp_ms, 1'800'000'000'000);
}

TEST_F(LogFile, InvalidBytesAreReplacedAndOtherControlCharactersKept) {
  write("a\xff\xc3(\x01\n");
  BatchReader reader(path_, options_);
  EXPECT_THAT(messages(reader.read()), ElementsAre("a\xef\xbf\xbd\xef\xbf\xbd(\x01"));
}

TEST_F(LogFile, ALineThatIsTooLongIsCutBetweenCharacters) {
  std::string euros;
  while (euros.size() < 300'000) euros += "\xe2\x82\xac";
  write("xx" + euros + "\n");
  BatchReader reader(path_, options_);
  const auto texts = messages(reader.read());
  ASSERT_THAT(texts, SizeIs(2));
  EXPECT_EQ(texts[0].size(), kMaxEventBytes);
  EXPECT_EQ(texts[0] + texts[1], "xx" + euros);
  EXPECT_TRUE(texts[1].starts_with("\xe2\x82\xac"));
}

TEST_F(LogFile, ALineOfExactlyTheLimitIsOneEvent) {
  write(std::string(kMaxEventBytes, 'x') + "\n");
  BatchReader reader(path_, options_);
  EXPECT_THAT(messages(reader.read()), SizeIs(1));
}

TEST_F(LogFile, APatternJoinsLines) {
  options_.event_start = "^INFO";
  write("INFO a\n  at b\n\nINFO c\n");
  write("INFO d\n", LogStream::Stderr);
  BatchReader reader(path_, options_);
  EXPECT_THAT(messages(reader.read()), ElementsAre("INFO a\n  at b\n\n", "INFO c\n"));
  EXPECT_TRUE(reader.can_flush());
  EXPECT_THAT(messages(reader.flush(false)), SizeIs(3));
  EXPECT_EQ(reader.flush(false).end.resume, reader.flush(false).end.done);
}

TEST_F(LogFile, JoinedLinesEndAtTheLimit) {
  options_.event_start = "^never";
  const std::string line(100'000, 'x');
  write(line + "\n" + line + "\n" + line + "\n");
  BatchReader reader(path_, options_);
  reader.read();
  EXPECT_THAT(messages(reader.flush(true)), ElementsAre(line + "\n" + line + "\n", line + "\n"));
}

TEST_F(LogFile, ALastLineWithoutAnEndIsSentAtTheEnd) {
  write("last words");
  writer_->finish();
  BatchReader reader(path_, options_);
  EXPECT_THAT(messages(reader.read()), ElementsAre("last words"));
}

TEST_F(LogFile, ABatchHasAtMostTenThousandEvents) {
  for (int i = 0; i < 10'001; ++i) write(std::to_string(i) + "\n");
  BatchReader reader(path_, options_);
  EXPECT_THAT(reader.read().events, SizeIs(10'000));
  EXPECT_TRUE(reader.read().full);
  reader.next();
  EXPECT_THAT(messages(reader.read()), ElementsAre("10000"));
}

TEST_F(LogFile, ABatchHasAtMostOneMebibyteWithTheOverhead) {
  for (int i = 0; i < 5; ++i) write(std::string(kMaxEventBytes, 'a' + i) + "\n");
  BatchReader reader(path_, options_);
  EXPECT_THAT(reader.read().events, SizeIs(4));
  EXPECT_EQ(reader.read().bytes, kMaxBatchBytes);
  reader.next();
  EXPECT_THAT(reader.read().events, SizeIs(1));
}

TEST_F(LogFile, ABatchSpansAtMostADay) {
  write("one\n");
  at_ += std::chrono::hours(25);
  write("two\n");
  BatchReader reader(path_, options_);
  EXPECT_THAT(messages(reader.read()), ElementsAre("one"));
  reader.next();
  EXPECT_THAT(messages(reader.read()), ElementsAre("two"));
}

TEST_F(LogFile, TimesDoNotDecreaseUnlessTheClockStepsFarBack) {
  write("one\n");
  at_ -= std::chrono::seconds(10);
  write("two\n");
  at_ -= std::chrono::hours(1);
  write("three\n");
  BatchReader reader(path_, options_);
  const Batch first = reader.read();
  ASSERT_THAT(messages(first), ElementsAre("one", "two"));
  EXPECT_EQ(first.events[1].timestamp_ms, first.events[0].timestamp_ms);
  reader.next();
  const Batch& second = reader.read();
  ASSERT_THAT(messages(second), ElementsAre("three"));
  EXPECT_LT(second.events[0].timestamp_ms, first.events[0].timestamp_ms);
}

// After any batch another reader continues at its cursor, with the same events.
TEST_F(LogFile, AReaderContinuesAtAnyCursorWithoutLosingOrRepeatingAnEvent) {
  options_.event_start = "^#";
  open_writer(200'000);  // rotates
  const std::string wide(40'000, 'w');
  std::vector<Cursor> cursors;
  std::vector<std::string> sent;
  BatchReader first(path_, options_);
  for (int i = 0; i < 40; ++i) {
    if (i % 3 == 0) write("#" + std::to_string(i) + "\n");
    if (i % 5 == 0) write(wide.substr(0, 17'000), LogStream::Stderr);  // a line that stays incomplete for a while
    write("line " + std::to_string(i) + "\n");
    if (i % 5 == 2) write(std::to_string(i) + " end\n", LogStream::Stderr);
    if (i % 7 == 0) write(wide + "\n");
    // Half of the batches are never acknowledged: their reader ends.
    BatchReader next(path_, options_);
    const Cursor from = cursors.empty() ? Cursor() : cursors.back();
    next.seek(from);
    const Batch batch = next.read();
    if (i % 2 == 0) continue;
    add_short(batch, sent);
    cursors.push_back(*parse_cursor(to_text(batch.end)));
  }
  writer_->finish();
  BatchReader last(path_, options_);
  last.seek(cursors.back());
  last.read();
  add_short(last.flush(true), sent);
  // All at once, from a file that did not rotate.
  std::filesystem::remove(path_ + ".1");
  std::filesystem::remove(path_);
  at_ = std::chrono::sys_seconds(std::chrono::seconds(1'800'000'000));
  open_writer(drivers::kMaxLogBytes);
  for (int i = 0; i < 40; ++i) {
    if (i % 3 == 0) write("#" + std::to_string(i) + "\n");
    if (i % 5 == 0) write(wide.substr(0, 17'000), LogStream::Stderr);
    write("line " + std::to_string(i) + "\n");
    if (i % 5 == 2) write(std::to_string(i) + " end\n", LogStream::Stderr);
    if (i % 7 == 0) write(wide + "\n");
  }
  writer_->finish();
  std::vector<std::string> expected;
  BatchReader whole(path_, options_);
  whole.read();
  add_short(whole.flush(true), expected);
  EXPECT_EQ(sent, expected);
}

TEST_F(LogFile, WhatExceedsTheBufferIsDroppedAndCounted) {
  options_.max_unsent_bytes = 4096;
  for (int i = 0; i < 1000; ++i) write("line " + std::to_string(i) + "\n");
  BatchReader reader(path_, options_);
  while (reader.skip_excess(8192)) {
  }
  const Batch& batch = reader.read();
  ASSERT_GT(batch.events.size(), 10u);
  const std::size_t kept = batch.events.size() - 1;
  EXPECT_EQ(batch.events[0].message, "[stoker] " + std::to_string(1000 - kept) +
                                         " lines dropped: more than 4096 bytes of the log were not sent");
  EXPECT_EQ(batch.events[1].message, "line " + std::to_string(1000 - kept));
  EXPECT_EQ(batch.events[0].timestamp_ms, batch.events[1].timestamp_ms);
  EXPECT_EQ(reader.dropped(), std::int64_t(1000 - kept));
}

TEST_F(LogFile, ALostFileIsNoted) {
  write("one\n");
  BatchReader reader(path_, options_);
  const Cursor cursor = reader.read().end;
  open_writer(100);
  for (int i = 0; i < 10; ++i) write("line " + std::to_string(i) + "\n");
  BatchReader next(path_, options_);
  next.seek(cursor);
  const auto texts = messages(next.read());
  ASSERT_FALSE(texts.empty());
  EXPECT_THAT(texts.front(), HasSubstr("0 or more lines dropped"));
  EXPECT_EQ(texts.back(), "line 9");
}

TEST_F(LogFile, AFileThatDoesNotExistYetIsReadLater) {
  writer_.reset();
  std::filesystem::remove(path_);
  BatchReader reader(path_, options_);
  EXPECT_THAT(reader.read().events, IsEmpty());
  open_writer(drivers::kMaxLogBytes);
  write("late\n");
  EXPECT_THAT(messages(reader.read()), ElementsAre("late"));
}

}  // namespace
}  // namespace agent::logs
