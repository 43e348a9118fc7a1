// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/log_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace agent::drivers {
namespace {

constexpr LogTime kStart{std::chrono::nanoseconds(1'794'000'000'123'456'789)};

class LogFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "log_file_XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    path_ = folder_ + "/app.log";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string bytes() const {
    std::ostringstream out;
    out << std::ifstream(path_).rdbuf();
    return out.str();
  }
  LogWriter writer(std::size_t max_bytes = kMaxLogBytes) {
    auto opened = LogWriter::open(path_, max_bytes);
    EXPECT_TRUE(opened) << opened.error();
    return std::move(*opened);
  }
  void append_raw(std::string_view text) { std::ofstream(path_, std::ios::app) << text; }

  std::string folder_, path_;
};

std::string texts(const std::vector<LogLine>& lines) {
  std::string all;
  for (const LogLine& line : lines) all += line.text + (line.partial ? "+" : "|");
  return all;
}

TEST_F(LogFile, ALineIsWrittenInTheCriFormat) {
  writer().append(LogStream::Stderr, kStart, "hello  world \n");
  EXPECT_EQ(bytes(), "2026-11-06T21:20:00.123456789Z stderr F hello  world \n");
}

TEST_F(LogFile, ALineIsReadBackWithItsTimeAndStream) {
  writer().append(LogStream::Stderr, kStart, "a b\n");
  const auto lines = LogReader(path_).read(10);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].at, std::chrono::floor<base::Duration>(kStart));
  EXPECT_EQ(lines[0].stream, "stderr");
  EXPECT_FALSE(lines[0].partial);
  EXPECT_EQ(lines[0].text, "a b");
}

TEST_F(LogFile, PiecesOfEachStreamAreJoinedIntoLines) {
  auto log = writer();
  log.append(LogStream::Stdout, kStart, "on");
  log.append(LogStream::Stderr, kStart, "err\n");
  log.append(LogStream::Stdout, kStart + std::chrono::seconds(5), "e\n\ntwo\nthr");
  const auto lines = LogReader(path_).read(10);
  EXPECT_EQ(texts(lines), "err|one||two|");
  EXPECT_EQ(lines[1].at, lines[0].at) << "a line has the time of its first piece";
}

TEST_F(LogFile, ALastLineWithoutNewlineIsWrittenWhenTheWriterCloses) {
  {
    auto log = writer();
    log.append(LogStream::Stdout, kStart, "no newline");
    EXPECT_EQ(bytes(), "");
  }
  EXPECT_EQ(texts(LogReader(path_).read(10)), "no newline|");
}

TEST_F(LogFile, ALongLineIsSplitIntoPartialRecords) {
  auto log = writer();
  const std::string part(kMaxLineBytes, 'x');
  log.append(LogStream::Stdout, kStart, part + part + "end\n" + part + "\n");
  const auto lines = LogReader(path_).read(10);
  EXPECT_EQ(texts(lines), part + "+" + part + "+end|" + part + "|");
}

TEST_F(LogFile, AFullFileIsRotatedAndOneOlderFileIsKept) {
  auto log = writer(200);
  for (int i = 0; i < 20; ++i) log.append(LogStream::Stdout, kStart, "line " + std::to_string(i) + "\n");
  EXPECT_LE(std::filesystem::file_size(path_), 200u);
  EXPECT_LE(std::filesystem::file_size(path_ + ".1"), 200u);
  const auto lines = LogReader(path_).read(100);
  EXPECT_EQ(lines.back().text, "line 19");
  EXPECT_GT(lines.size(), 4u);
  EXPECT_LT(lines.size(), 9u);
}

TEST_F(LogFile, AReaderFollowsRotationsWithoutLosingLines) {
  auto log = writer(400);
  LogReader reader(path_);
  std::string seen, written;
  for (int i = 0; i < 50; ++i) {
    log.append(LogStream::Stdout, kStart, std::to_string(i) + "\n");
    written += std::to_string(i) + "|";
    if (i % 3 == 0) seen += texts(reader.read(2)) + texts(reader.read(100));
  }
  EXPECT_EQ(seen + texts(reader.read(100)), written);
}

TEST_F(LogFile, AReaderTwoFilesBehindContinuesWithTheOldestFileLeft) {
  auto log = writer(100);  // two records
  LogReader reader(path_);
  log.append(LogStream::Stdout, kStart, "0\n");
  EXPECT_EQ(texts(reader.read(10)), "0|");
  for (int i = 1; i < 8; ++i) log.append(LogStream::Stdout, kStart, std::to_string(i) + "\n");
  EXPECT_EQ(texts(reader.read(10)), "1|4|5|6|7|");
}

TEST_F(LogFile, TheLastLinesAreFoundAcrossBothFiles) {
  auto log = writer(100);
  for (int i = 0; i < 3; ++i) log.append(LogStream::Stdout, kStart, std::to_string(i) + "\n");
  EXPECT_EQ(texts(LogReader(path_, 1).read(10)), "2|");
  EXPECT_EQ(texts(LogReader(path_, 2).read(10)), "1|2|");
  EXPECT_EQ(texts(LogReader(path_, 3).read(10)), "0|1|2|");
  EXPECT_EQ(texts(LogReader(path_, 99).read(10)), "0|1|2|");
  LogReader none(path_, 0);
  EXPECT_EQ(texts(none.read(10)), "");
  log.append(LogStream::Stdout, kStart, "new\n");
  EXPECT_EQ(texts(none.read(10)), "new|");
}

TEST_F(LogFile, AMissingFileIsReadOnceItExists) {
  LogReader reader(path_, 5);
  EXPECT_TRUE(reader.read(10).empty());
  writer().append(LogStream::Stdout, kStart, "late\n");
  EXPECT_EQ(texts(reader.read(10)), "late|");
}

TEST_F(LogFile, AnIncompleteRecordIsReadOnceItIsComplete) {
  append_raw("2026-11-06T20:00:00Z stdout F ha");
  LogReader reader(path_);
  EXPECT_TRUE(reader.read(10).empty());
  append_raw("lf\n");
  EXPECT_EQ(texts(reader.read(10)), "half|");
}

TEST_F(LogFile, InvalidRecordsAreSkipped) {
  append_raw("\n\0garbage\n2026-13-06T20:00:00Z stdout F x\n2026-11-06T20:00:00Z stdin F x\n");
  append_raw("9999-11-06T20:00:00Z stdout F x\n2026-11-06T20:00:00Z stdout\n");
  append_raw(std::string(200'000, 'g') + "2026-11-06T20:00:00Z stdout F x\n");
  append_raw("2026-11-06T20:00:00Z stdout F good\n");
  EXPECT_EQ(texts(LogReader(path_).read(10)), "good|");
}

TEST_F(LogFile, AWriterKnowsTheLastTimeOfAnEarlierWriter) {
  EXPECT_EQ(writer().last_time(), std::nullopt);
  writer().append(LogStream::Stdout, kStart, "one\n");
  EXPECT_EQ(writer().last_time(), kStart);
}

TEST_F(LogFile, AWriterReadsTheLastTimeFromTheOlderFileWhenTheNewOneIsEmpty) {
  writer().append(LogStream::Stdout, kStart, "one\n");
  std::filesystem::rename(path_, path_ + ".1");
  EXPECT_EQ(writer().last_time(), kStart);
}

TEST_F(LogFile, AnIncompleteRecordOfAKilledWriterDoesNotCorruptTheNext) {
  append_raw("2026-11-06T20:00:00.5Z stdout F whole\n2026-11-06T20:00:01Z stdo");
  auto log = writer();
  EXPECT_EQ(log.last_time(), LogTime(std::chrono::milliseconds(1'793'995'200'500)));
  log.append(LogStream::Stdout, kStart, "next\n");
  EXPECT_EQ(texts(LogReader(path_).read(10)), "whole|next|");
}

TEST_F(LogFile, AFullDiskLosesLinesAndCountsThem) {
  path_ = "/dev/full";
  auto log = writer();
  log.append(LogStream::Stdout, kStart, "lost\n");
  EXPECT_GT(log.lost_bytes(), 0u);
}

}  // namespace
}  // namespace agent::drivers
