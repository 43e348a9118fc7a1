// SPDX-License-Identifier: Apache-2.0
#include "base/disk_space.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace base {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

class DiskSpaceTest : public testing::Test {
 protected:
  DiskSpaceTest() {
    char name[] = "/tmp/stoker-space-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~DiskSpaceTest() override { std::filesystem::remove_all(folder_); }

  // Of a disk whose size the test sets.
  DiskSpace::Look look() {
    return [this](const std::string&) { return std::optional<DiskSpace::Disk>({free_, 100 * kMiB}); };
  }
  bool held() const { return std::filesystem::exists(folder_ + "/reserve"); }

  std::string folder_;
  std::uint64_t free_ = 50 * kMiB;
};

TEST_F(DiskSpaceTest, TheDefaultDependsOnTheDisk) {
  EXPECT_EQ(DiskSpace(folder_, std::nullopt, look()).reserve(), 100 * kMiB / 16);
  const auto small = [](const std::string&) { return std::optional<DiskSpace::Disk>({kMiB, 24 * kMiB}); };
  EXPECT_EQ(DiskSpace(folder_, std::nullopt, small).reserve(), 4 * kMiB);
  const auto large = [](const std::string&) { return std::optional<DiskSpace::Disk>({kMiB, 1'000'000 * kMiB}); };
  EXPECT_EQ(DiskSpace(folder_, std::nullopt, large).reserve(), 64 * kMiB);
  EXPECT_GT(DiskSpace::look_at(folder_ + "/not/yet/there")->total_bytes, 0u);
}

TEST_F(DiskSpaceTest, HalfOfTheReserveIsAFile) {
  DiskSpace space(folder_, 8 * kMiB, look());
  EXPECT_FALSE(space.measure());
  EXPECT_TRUE(held());
  EXPECT_EQ(std::filesystem::file_size(folder_ + "/reserve"), 4 * kMiB);
  EXPECT_EQ(space.problem(), "");
}

TEST_F(DiskSpaceTest, GrowthIsRejectedWhileTheReserveIsUntouched) {
  DiskSpace space(folder_, 8 * kMiB, look());
  space.measure();
  free_ = 4 * kMiB;
  EXPECT_FALSE(space.measure()) << "the file is the other half";
  EXPECT_FALSE(space.has_room(1));
  EXPECT_TRUE(space.has_room(0));
  free_ = 4 * kMiB - 1;
  EXPECT_FALSE(space.is_low()) << "until it is measured";
  EXPECT_TRUE(space.measure());
  EXPECT_TRUE(space.is_low());
  EXPECT_TRUE(held());
  EXPECT_NE(space.problem().find("is full: 3.9 MiB are left, and 4.0 MiB of them are kept"), std::string::npos);
  free_ = 20 * kMiB;
  EXPECT_FALSE(space.is_low()) << "it ends by itself";
}

TEST_F(DiskSpaceTest, WhatTheLogAddsToTheDatabaseIsUsedAlready) {
  DiskSpace space(folder_, 8 * kMiB, look());
  space.measure();
  free_ = 6 * kMiB;
  EXPECT_FALSE(space.measure());
  space.set_database(3 * kMiB, 0);
  EXPECT_TRUE(space.measure());
}

TEST_F(DiskSpaceTest, DeletedRowsLeaveRoomInTheDatabase) {
  DiskSpace space(folder_, 8 * kMiB, look());
  space.measure();
  free_ = 2 * kMiB;
  EXPECT_TRUE(space.measure());
  space.set_database(0, 10 * kMiB);
  EXPECT_FALSE(space.measure());
  EXPECT_FALSE(space.has_room(1)) << "not for files";
  free_ = kMiB / 2;
  EXPECT_TRUE(space.measure()) << "the log needs room on the disk";
}

TEST_F(DiskSpaceTest, AReleasedReserveReturnsWithTheSpace) {
  DiskSpace space(folder_, 8 * kMiB, look());
  space.measure();
  EXPECT_FALSE(space.is_low());
  free_ = 0;
  EXPECT_TRUE(space.release());
  EXPECT_TRUE(space.is_low()) << "at once: it is not for what grows";
  EXPECT_FALSE(held());
  EXPECT_FALSE(space.release());
  free_ = 4 * kMiB;
  EXPECT_TRUE(space.measure()) << "all of the reserve is kept back, with or without its file";
  EXPECT_FALSE(held());
  free_ = 9 * kMiB;
  EXPECT_FALSE(space.measure());
  EXPECT_TRUE(held());
}

TEST_F(DiskSpaceTest, AShortageDoesNotEndAndBeginWithEveryByte) {
  DiskSpace space(folder_, 8 * kMiB, look());
  space.measure();
  free_ = 4 * kMiB - 1;
  EXPECT_TRUE(space.measure());
  free_ = 4 * kMiB + 1;
  EXPECT_TRUE(space.is_low());
  free_ = 5 * kMiB;
  EXPECT_FALSE(space.is_low());
  free_ = 4 * kMiB + 1;
  EXPECT_FALSE(space.measure());
}

TEST_F(DiskSpaceTest, AStartOnAFullDiskReleasesTheReserve) {
  DiskSpace(folder_, 8 * kMiB, look()).measure();
  free_ = 3 * kMiB;
  DiskSpace enough(folder_, 8 * kMiB, look());
  EXPECT_TRUE(held());
  free_ = kMiB;
  DiskSpace full(folder_, 8 * kMiB, look());
  EXPECT_FALSE(held());
}

TEST_F(DiskSpaceTest, WithoutAReserveNothingIsRejected) {
  DiskSpace(folder_, 8 * kMiB, look()).measure();
  DiskSpace space(folder_, 0, look());
  free_ = 0;
  EXPECT_FALSE(space.measure());
  EXPECT_TRUE(space.has_room(100 * kMiB));
  EXPECT_FALSE(held()) << "the file of another setting is removed";
}

}  // namespace
}  // namespace base
