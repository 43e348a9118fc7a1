// SPDX-License-Identifier: Apache-2.0
#include "cli/standard_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <future>
#include <iostream>
#include <iterator>
#include <sstream>

namespace cli {
namespace {

TEST(ClosedPipe, TheActionRunsWhenTheReaderCloses) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::promise<void> closed;
  {
    const ClosedPipe watch(ends[1], [&] { closed.set_value(); });
    ::close(ends[0]);
    closed.get_future().wait();
  }
  ::close(ends[1]);
}

TEST(ClosedPipe, AnOpenPipeAndAFileDoNothing) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  bool called = false;
  { const ClosedPipe watch(ends[1], [&] { called = true; }); }
  const int file = ::open("/dev/null", O_WRONLY);
  { const ClosedPipe watch(file, [&] { called = true; }); }
  EXPECT_FALSE(called);
  for (int descriptor : {ends[0], ends[1], file}) ::close(descriptor);
}

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

// The buffer of a command's output: counts open descriptors when it is flushed. A watch has some.
class CountingBuffer : public std::stringbuf {
 public:
  std::ptrdiff_t at_flush = -1;

 private:
  int sync() override {
    at_flush = open_descriptors();
    return 0;
  }
};

// The reader of a complete output may close the pipe at once.
TEST(StandardOutput, ThePipeIsNoLongerWatchedWhenTheOutputIsComplete) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::cout.flush();
  std::fflush(stdout);
  const int before = ::dup(STDOUT_FILENO);
  ASSERT_GE(::dup2(ends[1], STDOUT_FILENO), 0);
  CountingBuffer buffer;
  std::streambuf* const own = std::cout.rdbuf(&buffer);
  const std::ptrdiff_t unwatched = open_descriptors();
  std::ptrdiff_t watched = 0;
  const int status = run_with_standard_output([&] {
    watched = open_descriptors();
    return 3;
  });
  std::cout.rdbuf(own);
  ::dup2(before, STDOUT_FILENO);
  for (int descriptor : {before, ends[0], ends[1]}) ::close(descriptor);
  EXPECT_EQ(status, 3);
  EXPECT_GT(watched, unwatched);
  EXPECT_EQ(buffer.at_flush, unwatched);
}

}  // namespace
}  // namespace cli
