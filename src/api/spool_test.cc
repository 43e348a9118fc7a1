// SPDX-License-Identifier: Apache-2.0
#include "api/spool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/random.h"
#include "http/block_on.h"
#include "http/part_opener.h"

namespace api {
namespace {

constexpr std::size_t kMany = 300;

class SpoolTest : public testing::Test {
 protected:
  ~SpoolTest() override { std::filesystem::remove_all(folder_); }

  // So many files, and some of each.
  std::vector<services::Extent> extents(std::size_t count) {
    std::vector<services::Extent> all;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = objects::Files::new_name();
      files_.create(name).write_all("<" + std::to_string(i) + ">");
      files_.keep(name);
      all.push_back({.bytes = "", .file = name, .offset = 1, .length = std::to_string(i).size()});
    }
    return all;
  }
  std::optional<std::vector<http::BodyPart>> open(std::vector<services::Extent> wanted) {
    return http::block_on(io_.at(0), open_extents(disk_, std::move(wanted)));
  }
  std::optional<services::Upload> copy(std::vector<http::BodyPart> parts) {
    return http::block_on(io_.at(0), copied(disk_, std::move(parts)));
  }
  static boost::asio::awaitable<std::optional<services::Upload>> copied(Disk disk, std::vector<http::BodyPart> parts) {
    services::Spool wanted;
    wanted.max_bytes = 1'000'000;
    const std::optional<HeldUpload> held = co_await spool_parts(disk, std::move(parts), std::move(wanted));
    if (!held) co_return std::nullopt;
    co_return held->get();
  }
  static std::size_t open_files() {
    std::filesystem::directory_iterator descriptors("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(descriptors), end(descriptors)));
  }

  const std::string folder_ = testing::TempDir() + "spool_test_" + base::random_uuid();
  http::IoThreads io_{1};
  objects::Files files_{folder_};
  objects::DiskThreads threads_{1};
  Disk disk_{&files_, &threads_};
};

TEST_F(SpoolTest, AnObjectOfManyFilesDoesNotHoldAllOfThemOpen) {
  const auto wanted = extents(kMany);
  const std::size_t before = open_files();
  const auto parts = open(wanted);
  ASSERT_TRUE(parts);
  EXPECT_LE(open_files(), before + 64);
  EXPECT_TRUE(parts->front().file);
  EXPECT_FALSE(parts->back().file);
  EXPECT_EQ(parts->back().size(), 3u);
  auto last = http::block_on(io_.at(0), opener_of(disk_)->open(parts->back().name));
  ASSERT_TRUE(last);
  EXPECT_EQ(last->size(), 5u);
}

TEST_F(SpoolTest, AnObjectOfFewFilesIsReadWholeWhoeverDeletesIt) {
  const auto wanted = extents(20);
  auto parts = open(wanted);
  ASSERT_TRUE(parts);
  for (const services::Extent& extent : wanted) files_.drop(extent.file);
  const auto copied = copy(std::move(*parts));
  ASSERT_TRUE(copied);
  EXPECT_EQ(copied->size, 30u);
  EXPECT_FALSE(open(wanted));
}

TEST_F(SpoolTest, ACopyOfManyFilesHasThemInTheirOrder) {
  auto parts = open(extents(kMany));
  ASSERT_TRUE(parts);
  std::string expected;
  for (std::size_t i = 0; i < kMany; ++i) expected += std::to_string(i);
  const auto copied = copy(std::move(*parts));
  ASSERT_TRUE(copied);
  EXPECT_EQ(copied->bytes, expected);
}

TEST_F(SpoolTest, ACopyOfWhatIsDeletedMeanwhileIsNone) {
  const auto wanted = extents(kMany);
  auto parts = open(wanted);
  ASSERT_TRUE(parts);
  files_.drop(wanted.back().file);
  EXPECT_FALSE(copy(std::move(*parts)));
  EXPECT_EQ(http::block_on(io_.at(0), open_file(disk_, wanted.back().file)), nullptr);
}

}  // namespace
}  // namespace api
