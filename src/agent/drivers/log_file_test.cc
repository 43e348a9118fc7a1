// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/log_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

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

TEST_F(LogFile, AnIncompleteLineCanBeReadBeforeItsEnd) {
  auto log = writer();
  log.append(LogStream::Stdout, kStart, "one\n10%\r");
  log.write_partial(LogStream::Stdout);
  log.write_partial(LogStream::Stderr);
  LogReader reader(path_);
  EXPECT_EQ(texts(reader.read(10)), "one|10%\r+");
  log.append(LogStream::Stdout, kStart, "20%\r");
  log.write_partial(LogStream::Stdout);
  log.append(LogStream::Stdout, kStart, "\nend\n");
  EXPECT_EQ(texts(reader.read(10)), "20%\r+|end|");
  EXPECT_EQ(texts(LogReader(path_, 1).read(10)), "end|");
  EXPECT_EQ(texts(LogReader(path_, 2).read(10)), "10%\r+20%\r+|end|") << "lines are counted, not records";
  log.append(LogStream::Stdout, kStart, "half");
  log.write_partial(LogStream::Stdout);
  EXPECT_EQ(texts(LogReader(path_, 1).read(10)), "half+");
  EXPECT_EQ(texts(LogReader(path_, 2).read(10)), "end|half+");
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

TEST(LogFloor, IsAPartOfTheDiskWithinBounds) {
  EXPECT_EQ(log_floor(16ull << 20), 8ull << 20);
  EXPECT_EQ(log_floor(800ull << 20), 100ull << 20);
  EXPECT_EQ(log_floor(4096ull << 30), 1ull << 30);
}

TEST_F(LogFile, NothingIsWrittenToADiskThatIsAlmostFullAndTheLossIsReported) {
  const std::string disk = folder_ + "/disk";
  ::mkdir(disk.c_str(), 0700);
  if (::mount("stoker", disk.c_str(), "tmpfs", 0, "size=12m") != 0) GTEST_SKIP() << "only root can mount a small disk";
  path_ = disk + "/app.log";
  {
    auto log = writer();
    const std::string line = std::string(9'999, 'x') + "\n";
    for (int i = 0; i < 1000; ++i) log.append(LogStream::Stdout, kStart, line);
    struct statvfs status {};
    ::statvfs(disk.c_str(), &status);
    EXPECT_GE(status.f_bavail * status.f_frsize, log_floor(12u << 20)) << "the rest is for others";
    EXPECT_GT(log.lost_bytes(), 5'000'000u);
    ASSERT_EQ(::truncate(path_.c_str(), 0), 0);
    log.append(LogStream::Stdout, kStart, "again\n");
    EXPECT_THAT(bytes(), testing::MatchesRegex(".* stderr F stoker: [0-9]+ bytes of output lost: the disk was almost "
                                               "full\n.* stdout F again\n"));
  }
  EXPECT_EQ(::umount(disk.c_str()), 0);
}

}  // namespace
}  // namespace agent::drivers
