// SPDX-License-Identifier: Apache-2.0
#include "spool/spool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/random.h"
#include "http/block_on.h"
#include "http/io_threads.h"
#include "http/part_opener.h"

namespace spool {
namespace {

constexpr std::size_t kMany = 300;

class SpoolTest : public testing::Test {
 protected:
  ~SpoolTest() override { std::filesystem::remove_all(folder_); }

  // This number of files, and a range of each.
  std::vector<services::s3::Extent> extents(std::size_t count) {
    std::vector<services::s3::Extent> all;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = objects::Files::new_name();
      files_.create(name).write_all("<" + std::to_string(i) + ">");
      files_.keep(name);
      all.push_back({.bytes = "", .file = name, .offset = 1, .length = std::to_string(i).size()});
    }
    return all;
  }
  std::optional<OpenExtents> open(std::vector<services::s3::Extent> wanted) {
    return http::block_on(io_.at(0), open_extents(disk_, std::move(wanted)));
  }
  services::s3::Upload copy(OpenExtents extents) { return http::block_on(io_.at(0), copied(disk_, std::move(extents))); }
  static boost::asio::awaitable<services::s3::Upload> copied(Disk disk, OpenExtents extents) {
    services::s3::Spool wanted;
    wanted.max_bytes = 1'000'000;
    const HeldUpload held = co_await spool_extents(disk, std::move(extents), std::move(wanted));
    co_return held.get();
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
  const auto open_ones = open(wanted);
  ASSERT_TRUE(open_ones);
  EXPECT_LE(open_files(), before + 64);
  EXPECT_TRUE(open_ones->parts.front().file);
  const http::BodyPart& last = open_ones->parts.back();
  EXPECT_FALSE(last.file);
  EXPECT_EQ(last.size(), 3u);
  auto file = http::block_on(io_.at(0), open_ones->opener->open(last.name));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->size(), 5u);
}

TEST_F(SpoolTest, AnObjectThatIsDeletedMeanwhileIsReadToItsEnd) {
  for (const std::size_t count : {std::size_t{20}, kMany}) {
    const auto wanted = extents(count);
    auto open_ones = open(wanted);
    ASSERT_TRUE(open_ones);
    std::string expected;
    for (std::size_t i = 0; i < count; ++i) expected += std::to_string(i);
    for (const services::s3::Extent& extent : wanted) files_.drop(extent.file);
    EXPECT_EQ(copy(std::move(*open_ones)).bytes, expected);
    for (const services::s3::Extent& extent : wanted) EXPECT_TRUE(files_.drop(extent.file));
    EXPECT_FALSE(open(wanted));
  }
}

TEST_F(SpoolTest, AnObjectWithAMissingFileIsNotOpened) {
  const auto wanted = extents(kMany);
  files_.drop(wanted.back().file);
  EXPECT_FALSE(open(wanted));
}

// The pieces of a body.
struct Pieces {
  std::vector<std::string> left;

  boost::asio::awaitable<std::string> next() {
    std::string piece;
    if (!left.empty()) {
      piece = std::move(left.front());
      left.erase(left.begin());
    }
    co_return piece;
  }
};

boost::asio::awaitable<services::s3::Upload> spooled(Disk disk, std::vector<std::string> pieces, std::size_t keep_bytes) {
  Pieces body{std::move(pieces)};
  services::s3::Spool wanted;
  wanted.max_bytes = 200'000;
  wanted.keep_bytes = keep_bytes;
  NextPiece next = std::bind_front(&Pieces::next, &body);
  const HeldUpload held = co_await spool_pieces(disk, std::move(next), std::move(wanted));
  co_return held.get();
}

TEST_F(SpoolTest, TheBytesOfAFileAreKeptWhereThatIsWanted) {
  const std::vector<std::string> pieces(10, std::string(10'000, 'x'));
  EXPECT_EQ(http::block_on(io_.at(0), spooled(disk_, pieces, 100'000)).kept, std::string(100'000, 'x'));
  EXPECT_EQ(http::block_on(io_.at(0), spooled(disk_, pieces, 99'999)).kept, "");
  EXPECT_EQ(http::block_on(io_.at(0), spooled(disk_, {"small"}, 100'000)).bytes, "small");
  EXPECT_EQ(http::block_on(io_.at(0), spooled(disk_, {"small"}, 100'000)).kept, "");
}

TEST_F(SpoolTest, ABodyThatGrowsTooLargeIsRejected) {
  const std::vector<std::string> pieces(21, std::string(10'000, 'x'));
  EXPECT_THROW(http::block_on(io_.at(0), spooled(disk_, pieces, 0)), wire::ApiError);
}

}  // namespace
}  // namespace spool
