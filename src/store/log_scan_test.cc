// SPDX-License-Identifier: Apache-2.0
#include "store/log_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "store/open.h"
#include "store/test_database.h"

namespace store {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::uint64_t kFrame = 4096 + LogScan::kFrameHeaderBytes;

const std::vector<Migrations> kLogTables{{"test", {"CREATE TABLE items (id INTEGER PRIMARY KEY, body TEXT)"}}};

// A folder as a crash leaves it: a database, and a log with transactions that are only there.
class LogScanTest : public testing::Test {
 protected:
  LogScanTest() {
    auto store = open_sqlite(live_.path(), kLogTables);
    for (int i = 0; i < 8; ++i) {
      store->write_now([&](Tx& tx) { tx.exec("INSERT INTO items (body) VALUES ($1)", std::string(5000, 'x')); });
    }
    for (const char* name : {"stoker.db", "stoker.db-wal"}) {
      fs::copy_file(live_.path() + "/" + name, crashed_.path() + "/" + name);
    }
  }

  std::string log() const { return crashed_.path() + "/stoker.db-wal"; }
  std::uint64_t frames() const { return (fs::file_size(log()) - LogScan::kHeaderBytes) / kFrame; }

  void flip(std::uint64_t at) {
    std::fstream file(log(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
  }
  std::uint64_t start_of(std::uint64_t frame) const { return LogScan::kHeaderBytes + (frame - 1) * kFrame; }

  bool commits(std::uint64_t frame) const {
    std::ifstream file(log(), std::ios::binary);
    file.seekg(static_cast<std::streamoff>(start_of(frame) + 4));
    std::string size(4, '\0');
    file.read(size.data(), 4);
    return size != std::string(4, '\0');
  }
  // The frame after the last but one commit.
  std::uint64_t first_of_last_transaction() const {
    std::uint64_t first = frames();
    while (!commits(first - 1)) --first;
    return first;
  }

  // The error of a start; "" if it succeeds.
  std::string start(bool drop = false) {
    try {
      rows_ = 0;
      auto store = open_sqlite(crashed_.path(), kLogTables, {nullptr, drop});
      store->read_now([&](Tx& tx) { rows_ = tx.query("SELECT count(*) FROM items").integer(); });
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Damaged);
      return error.what();
    }
  }

  TemporaryFolder live_, crashed_;
  std::int64_t rows_ = 0;
};

TEST_F(LogScanTest, AnIntactLogIsApplied) {
  EXPECT_FALSE(scan_log(log()));
  EXPECT_EQ(start(), "");
  EXPECT_EQ(rows_, 8);
}

TEST_F(LogScanTest, TheUnfinishedEndOfALogIsNoDamage) {
  fs::resize_file(log(), start_of(frames()) + 100);
  EXPECT_FALSE(scan_log(log()));
  fs::resize_file(log(), LogScan::kHeaderBytes + 10);
  EXPECT_FALSE(scan_log(log()));
  fs::resize_file(log(), 0);
  EXPECT_FALSE(scan_log(log()));
  EXPECT_FALSE(scan_log(log() + "-missing"));
}

TEST_F(LogScanTest, DamageInTheMiddleIsFoundWhereverItIs) {
  // In a page, in each field of a frame's header.
  for (const std::uint64_t within : {24u, 2000u, 4119u, 0u, 4u, 8u, 12u, 16u, 20u}) {
    flip(start_of(3) + within);
    const auto damage = scan_log(log());
    ASSERT_TRUE(damage) << within;
    EXPECT_EQ(damage->frame, 3u) << within;
    EXPECT_EQ(damage->offset, start_of(3));
    EXPECT_TRUE(damage->certain);
    EXPECT_GE(damage->lost_frames, frames() - 4);
    flip(start_of(3) + within);
  }
  EXPECT_FALSE(scan_log(log()));
}

TEST_F(LogScanTest, AStartIsRefusedUntilTheLossIsAccepted) {
  flip(start_of(3) + 100);
  const std::string refusal = start();
  EXPECT_THAT(refusal, HasSubstr("stoker.db-wal is damaged in frame 3, at byte 8272: "));
  EXPECT_THAT(refusal, HasSubstr("--drop-damaged-log"));
  EXPECT_THAT(refusal, HasSubstr("stoker restore"));
  EXPECT_THAT(start(), HasSubstr("is damaged")) << "nothing was changed";
  EXPECT_EQ(start(true), "");
  EXPECT_LT(rows_, 8);
  EXPECT_TRUE(fs::exists(log() + ".damaged"));
  EXPECT_EQ(start(), "");
}

TEST_F(LogScanTest, ADamagedHeaderIsFound) {
  for (const std::uint64_t at : {0u, 5u, 9u, 17u, 25u}) {
    flip(at);
    const auto damage = scan_log(log());
    ASSERT_TRUE(damage) << at;
    EXPECT_TRUE(damage->header && damage->certain) << at;
    flip(at);
  }
  flip(17);
  EXPECT_THAT(start(), HasSubstr("is damaged in its header: "));
}

TEST_F(LogScanTest, ADamagedEndOfTheLastButOneTransactionIsCertain) {
  const std::uint64_t commit = first_of_last_transaction() - 1;
  flip(start_of(commit) + 100);
  const auto damage = scan_log(log());
  ASSERT_TRUE(damage);
  EXPECT_EQ(damage->frame, commit);
  EXPECT_EQ(damage->lost_commits, 1u);
  EXPECT_TRUE(damage->certain) << "it was acknowledged";
  EXPECT_THAT(start(), HasSubstr("is damaged in frame"));
  // The same if the last transaction was never finished.
  fs::resize_file(log(), start_of(frames()));
  ASSERT_GT(frames(), commit);
  EXPECT_THAT(start(), HasSubstr("is damaged in frame"));
}

TEST_F(LogScanTest, ADamagedLastTransactionMayBeAnUnfinishedOne) {
  // The last transaction has several frames: its first may be the one that a power failure kept from the disk.
  const std::uint64_t first = first_of_last_transaction();
  ASSERT_LT(first, frames());
  flip(start_of(first) + 100);
  const auto damage = scan_log(log());
  ASSERT_TRUE(damage);
  EXPECT_FALSE(damage->certain);
  EXPECT_EQ(start(), "") << "reported in the log only";
  EXPECT_EQ(rows_, 7);
}

}  // namespace
}  // namespace store
