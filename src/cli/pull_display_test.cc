// SPDX-License-Identifier: Apache-2.0
#include "cli/pull_display.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/terminal_text.h"

namespace cli {
namespace {

using shapes::stoker::StokerPullState;
using shapes::stoker::StokerTaskState;
using std::chrono::seconds;

constexpr PullDisplay::Time kStart{};

StokerTaskState pulling(const std::string& detail) {
  StokerTaskState state;
  state.task.lastStatus = "PENDING";
  state.pulls.emplace().push_back({.image = "busybox", .detail = detail});
  return state;
}
StokerTaskState without_pull(const std::string& status) {
  StokerTaskState state;
  state.task.lastStatus = status;
  return state;
}
StokerTaskState pulled() {
  StokerTaskState state = without_pull("RUNNING");
  state.task.pullStartedAt = base::from_seconds(100);
  state.task.pullStoppedAt = base::from_seconds(112);
  return state;
}

TEST(PullLine, FitsItsColumns) {
  const StokerPullState longest{.detail = "512 of 512 layers, 1023 MiB of 1023 GiB, extracting"};
  EXPECT_EQ(pull_line(longest, 79), "pulling the image: 512 of 512 layers, 1023 MiB of 1023 GiB, extracting");
  for (const std::size_t columns : {20u, 40u, 79u}) {
    EXPECT_LE(display_width(pull_line({.detail = std::string(200, 'x')}, columns)), columns);
  }
  EXPECT_EQ(pull_line({}, 79), "pulling the image");
  EXPECT_EQ(pull_line({.detail = "\x1b[2J"}, 79), "pulling the image: ?[2J");
}

TEST(PullDisplay, RewritesOneLineOfATerminal) {
  std::ostringstream err;
  PullDisplay display(80, err, kStart);
  display.show(without_pull("PENDING"), kStart);
  display.show(pulling("1 of 7 layers"), kStart);
  display.show(pulling("1 of 7 layers"), kStart);
  display.show(pulling("7 of 7 layers"), kStart);
  EXPECT_EQ(err.str(), "\r\x1b[Kpulling the image: 1 of 7 layers\r\x1b[Kpulling the image: 7 of 7 layers");
  err.str("");
  display.show(without_pull("PENDING"), kStart);
  EXPECT_EQ(err.str(), "\r\x1b[K") << "the container is about to start";
  err.str("");
  display.show(pulled(), kStart);
  EXPECT_EQ(err.str(), "pulled the image in 12 s\n");
}

TEST(PullDisplay, LeavesNoLineBehindAFailedPull) {
  std::ostringstream err;
  {
    PullDisplay display(80, err, kStart);
    display.show(pulling("1 of 7 layers"), kStart);
    err.str("");
    display.show(without_pull("STOPPED"), kStart);
    EXPECT_EQ(err.str(), "\r\x1b[K");
    display.show(pulling("2 of 7 layers"), kStart);
    err.str("");
  }
  EXPECT_EQ(err.str(), "\r\x1b[K") << "whoever shows it may end first";
}

TEST(PullDisplay, PrintsALineNowAndThenWithoutATerminal) {
  std::ostringstream err;
  PullDisplay display(std::nullopt, err, kStart);
  display.show(pulling("1 of 7 layers"), kStart + seconds(9));
  EXPECT_EQ(err.str(), "") << "most pulls end sooner";
  display.show(pulling("2 of 7 layers"), kStart + seconds(10));
  display.show(pulling("3 of 7 layers"), kStart + seconds(19));
  display.show(pulling("2 of 7 layers"), kStart + seconds(20));
  EXPECT_EQ(err.str(), "pulling the image: 2 of 7 layers\n");
  err.str("");
  display.show(pulling("4 of 7 layers"), kStart + seconds(20));
  EXPECT_EQ(err.str(), "pulling the image: 4 of 7 layers\n");
  err.str("");
  display.show(pulled(), kStart + seconds(21));
  EXPECT_EQ(err.str(), "pulled the image in 12 s\n");
}

TEST(PullDisplay, AShortPullPrintsNothingWithoutATerminal) {
  std::ostringstream err;
  PullDisplay display(std::nullopt, err, kStart);
  display.show(pulling("1 of 7 layers"), kStart);
  display.show(pulled(), kStart + seconds(30));
  EXPECT_EQ(err.str(), "");
}

TEST(PullDisplay, AmazonsAgentReportsNoProgress) {
  std::ostringstream err;
  PullDisplay display(80, err, kStart);
  StokerTaskState state = without_pull("PENDING");
  state.task.pullStartedAt = base::from_seconds(100);
  display.show(state, kStart);
  EXPECT_EQ(err.str(), "\r\x1b[Kpulling the image");
}

}  // namespace
}  // namespace cli
