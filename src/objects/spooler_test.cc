// SPDX-License-Identifier: Apache-2.0
#include "objects/spooler.h"

#include <sys/resource.h>

#include <csignal>
#include <system_error>

#include "base/hash.h"
#include "objects/test_folder.h"

namespace objects {
namespace {

namespace asio = boost::asio;
using base::Checksum;

#if defined(__has_feature)
constexpr bool kKeepsFreedMemory = __has_feature(address_sanitizer);
#elif defined(__SANITIZE_ADDRESS__)
constexpr bool kKeepsFreedMemory = true;
#else
constexpr bool kKeepsFreedMemory = false;
#endif

constexpr std::size_t kInline = 1000;

std::string noise(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint32_t state = 1;
  for (char& c : bytes) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

std::size_t peak_memory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

class SpoolerTest : public ObjectsTest {
 protected:
  asio::awaitable<void> spool(std::string bytes, std::size_t step, SpoolOptions options) {
    Spooler spooler(files_, *disk_, std::move(options));
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      co_await spooler.write(bytes.substr(at, step));
    }
    spooled_ = co_await spooler.finish();
  }
  asio::awaitable<void> spool_roomy(std::size_t pieces, std::size_t room, std::size_t bytes) {
    Spooler spooler(files_, *disk_, {kInline, {}, {}});
    for (std::size_t i = 0; i < pieces; ++i) {
      std::string piece(room, 'x');
      piece.resize(bytes);
      co_await spooler.write(std::move(piece));
    }
    spooled_ = co_await spooler.finish();
  }
  asio::awaitable<void> spool_and_leave(std::string bytes) {
    Spooler spooler(files_, *disk_, {kInline, {}, {}});
    co_await spooler.write(bytes);
  }
  asio::awaitable<void> copy(std::string name, std::uint64_t offset, std::uint64_t length, std::string before) {
    auto file = files_.open(name);
    Spooler spooler(files_, *disk_, {kInline, {Checksum::Crc32}, {}});
    co_await spooler.write(before);
    co_await spooler.copy(*file, offset, length);
    co_await spooler.write("!");
    spooled_ = co_await spooler.finish();
  }

  std::string contents(const std::string& name) {
    auto file = files_.open(name);
    if (!file) return "not there";
    std::string bytes(file->size(), '\0');
    file->pread(bytes.data(), bytes.size(), 0);
    return bytes;
  }

  Spooled spooled_;
};

TEST_F(SpoolerTest, AShortBodyStaysInMemory) {
  const std::string bytes = noise(kInline);
  run(spool(bytes, 300, {kInline, {Checksum::Sha256}, {}}));
  EXPECT_EQ(spooled_.size, kInline);
  EXPECT_EQ(spooled_.bytes, bytes);
  EXPECT_EQ(spooled_.file, "");
  EXPECT_EQ(spooled_.checksums[Checksum::Md5], base::md5(bytes));
  EXPECT_EQ(spooled_.checksums[Checksum::Sha256], base::sha256(bytes));
  EXPECT_EQ(files_in(""), 0u);
}

TEST_F(SpoolerTest, AnEmptyBodyIsSpooled) {
  run(spool("", 1, {kInline, {}, 0}));
  EXPECT_EQ(spooled_.size, 0u);
  EXPECT_EQ(spooled_.checksums[Checksum::Md5], base::md5(""));
}

TEST_F(SpoolerTest, ALongBodyBecomesACompleteFile) {
  for (const std::size_t size : {kInline + 1, std::size_t{512} * 1024, std::size_t{3'000'001}}) {
    const std::string bytes = noise(size);
    run(spool(bytes, 70'000, {kInline, {Checksum::Sha1}, size}));
    EXPECT_EQ(spooled_.size, size);
    EXPECT_EQ(spooled_.bytes, "");
    EXPECT_EQ(contents(spooled_.file), bytes);
    EXPECT_EQ(spooled_.checksums[Checksum::Md5], base::md5(bytes));
    EXPECT_EQ(spooled_.checksums[Checksum::Sha1], base::sha1(bytes));
  }
  EXPECT_EQ(files_in("incoming"), 3u);
}

TEST_F(SpoolerTest, SmallPiecesDoNotKeepTheirLargeBuffers) {
  if (kKeepsFreedMemory) GTEST_SKIP() << "the address sanitizer keeps freed memory";
  constexpr std::size_t kPieces = 5000, kRoom = 64 * 1024, kBytes = 10;
  const std::size_t before = peak_memory();
  run(spool_roomy(kPieces, kRoom, kBytes));
  EXPECT_LT(peak_memory() - before, kPieces * kRoom / 4);
  EXPECT_EQ(contents(spooled_.file), std::string(kPieces * kBytes, 'x'));
}

TEST_F(SpoolerTest, AnAbandonedUploadLeavesNoFile) {
  run(spool_and_leave(noise(2'000'000)));
  end_threads();
  EXPECT_EQ(files_in("incoming"), 0u);
}

TEST_F(SpoolerTest, APartOfAFileIsCopied) {
  const std::string bytes = noise(3'000'000);
  run(spool(bytes, 100'000, {kInline, {}, {}}));
  const std::string source = spooled_.file;
  run(copy(source, 1000, 2'500'000, "before"));
  const std::string expected = "before" + bytes.substr(1000, 2'500'000) + "!";
  EXPECT_EQ(spooled_.size, expected.size());
  EXPECT_EQ(contents(spooled_.file), expected);
  EXPECT_EQ(spooled_.checksums[Checksum::Md5], base::md5(expected));
  run(copy(source, 5, 10, ""));
  EXPECT_EQ(spooled_.bytes, bytes.substr(5, 10) + "!");
}

TEST_F(SpoolerTest, ATruncatedSourceIsAnError) {
  run(spool(noise(2000), 2000, {kInline, {}, {}}));
  EXPECT_THROW(run(copy(spooled_.file, 1000, 1001, "before")), std::system_error);
  EXPECT_THROW(run(copy(spooled_.file, 1999, 2, "")), std::system_error);
}

// A limit on file sizes simulates a full disk.
TEST_F(SpoolerTest, AWriteErrorIsReportedAndLeavesNoFile) {
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1'000'000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(run(spool(noise(4'000'000), 100'000, {kInline, {}, {}})), std::system_error);
  EXPECT_THROW(run(spool(noise(4'000'000), 100'000, {kInline, {}, 4'000'000})), std::system_error);
  setrlimit(RLIMIT_FSIZE, &before);
  end_threads();
  EXPECT_EQ(files_in("incoming"), 0u);
}

}  // namespace
}  // namespace objects
