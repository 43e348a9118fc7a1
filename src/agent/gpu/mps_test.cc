// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/mps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "agent/gpu/command.h"
#include "base/log.h"
#include "base/random.h"

namespace agent::gpu {
namespace {

namespace asio = boost::asio;
using testing::HasSubstr;

// Replaces NVIDIA's program: -d starts a daemon and writes its process id into the folder of pipes;
// "quit" on stdin ends it, and so do five minutes: one that outlives its test must not burden the machine for ever.
constexpr const char* kControl = R"script(#!/bin/sh
pid_file="$CUDA_MPS_PIPE_DIRECTORY/nvidia-cuda-mps-control.pid"
case "$1" in
  -d)
    echo "$CUDA_VISIBLE_DEVICES" >> "$CUDA_MPS_LOG_DIRECTORY/starts"
    rm -f "$pid_file"
    "$0" --daemon < /dev/null > /dev/null 2>&1 &
    while [ ! -s "$pid_file" ]; do sleep 0.01; done ;;
  --daemon) echo $$ > "$pid_file"; for i in $(seq 600); do sleep 0.5; done ;;
  *) read word; [ "$word" = quit ] && kill "$(cat "$pid_file")" ;;
esac
)script";

class MpsTest : public testing::Test {
 protected:
  MpsTest() {
    base::set_log_level(base::LogLevel::Off);
    std::filesystem::create_directories(folder_);
    std::ofstream(control_) << kControl;
    ::chmod(control_.c_str(), 0755);
  }
  ~MpsTest() override {
    for (const char* gpu : {"aaaaaaaa", "bbbbbbbb"}) {
      if (pid_t pid = daemon(gpu)) ::kill(pid, SIGKILL);
    }
    std::filesystem::remove_all(folder_);
    base::set_log_level(base::LogLevel::Info);
  }

  // co_spawn needs a default-constructible result, which base::Result is not.
  template <class T>
  static asio::awaitable<void> store_result(asio::awaitable<T> work, std::optional<T>& out) {
    out = co_await std::move(work);
  }
  template <class T>
  T run(asio::awaitable<T> work) {
    std::optional<T> out;
    run(store_result(std::move(work), out));
    return *out;
  }
  void run(asio::awaitable<void> work) {
    auto result = asio::co_spawn(io_, std::move(work), asio::use_future);
    io_.restart();
    io_.run();
    result.get();
  }
  static Gpu gpu(const std::string& letter) {
    std::string id = "GPU-";
    for (int i = 0; i < 8; ++i) id += letter;
    return {.id = id + "-0000-0000-0000-000000000000"};
  }
  // The process id of the running daemon, or 0.
  pid_t daemon(const std::string& name) const {
    std::ifstream in(folder_ + "/mps/" + name + "/nvidia-cuda-mps-control.pid");
    pid_t pid = 0;
    if (!(in >> pid)) return 0;
    std::ifstream status("/proc/" + std::to_string(pid) + "/cmdline");
    std::string text;
    std::getline(status, text);
    return text.empty() ? 0 : pid;
  }
  int starts(const std::string& name) const {
    std::ifstream in(folder_ + "/mps/" + name + ".log/starts");
    int count = 0;
    for (std::string line; std::getline(in, line);) ++count;
    return count;
  }

  asio::io_context io_;
  std::string folder_ = "/tmp/mps-" + base::random_uuid().substr(0, 8);
  std::string control_ = folder_ + "/nvidia-cuda-mps-control";
  Mps mps_{folder_ + "/mps", control_};
};

TEST_F(MpsTest, TheFirstContainerStartsTheDaemonAndTheLastStopsIt) {
  auto access = run(mps_.join(gpu("a"), "one", {.memory_mib = 4000, .max_compute_percent = 25}));
  ASSERT_TRUE(access) << access.error();
  EXPECT_EQ(access->environment["CUDA_MPS_PIPE_DIRECTORY"], folder_ + "/mps/aaaaaaaa");
  EXPECT_EQ(access->environment["CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"], "0=4000M");
  EXPECT_EQ(access->environment["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"], "25");
  EXPECT_THAT(access->folders, testing::ElementsAre(folder_ + "/mps/aaaaaaaa", "/dev/shm"));
  EXPECT_NE(daemon("aaaaaaaa"), 0);
  ASSERT_TRUE(run(mps_.join(gpu("a"), "two", {.memory_mib = 1})));
  EXPECT_EQ(starts("aaaaaaaa"), 1);
  run(mps_.leave(gpu("a").id, "one"));
  EXPECT_NE(daemon("aaaaaaaa"), 0);
  run(mps_.leave(gpu("a").id, "two"));
  EXPECT_EQ(daemon("aaaaaaaa"), 0);
}

// NVIDIA's server runs as the user of its clients.
TEST_F(MpsTest, OtherUsersCanEnterTheFolderOfPipes) {
  const mode_t before = ::umask(0077);
  auto access = run(mps_.join(gpu("a"), "one", {}));
  ::umask(before);
  ASSERT_TRUE(access) << access.error();
  for (const char* folder : {"/mps", "/mps/aaaaaaaa"}) {
    EXPECT_EQ(std::filesystem::status(folder_ + folder).permissions(), std::filesystem::perms(0755)) << folder;
  }
  run(mps_.leave(gpu("a").id, "one"));
}

TEST(MpsFolder, RootHasItOutsideOfThePrivateDataFolder) {
  if (::geteuid() == 0) {
    EXPECT_THAT(mps_folder("/var/lib/stoker-agent"), testing::StartsWith("/run/stoker-mps-"));
    EXPECT_EQ(mps_folder("/var/lib/stoker-agent"), mps_folder("/var/lib/../lib/stoker-agent"));
    EXPECT_NE(mps_folder("/a"), mps_folder("/b"));
  } else {
    EXPECT_EQ(mps_folder("/a"), "/a/mps");
  }
}

TEST_F(MpsTest, TwoConcurrentJoinsStartOneDaemon) {
  std::optional<base::Result<MpsAccess>> first;
  auto one = asio::co_spawn(io_, store_result(mps_.join(gpu("a"), "one", {}), first), asio::use_future);
  auto second = run(mps_.join(gpu("a"), "two", {}));
  one.get();
  EXPECT_TRUE(*first);
  EXPECT_TRUE(second);
  EXPECT_EQ(starts("aaaaaaaa"), 1);
}

TEST_F(MpsTest, EachGpuHasItsOwnDaemon) {
  ASSERT_TRUE(run(mps_.join(gpu("a"), "one", {})));
  ASSERT_TRUE(run(mps_.join(gpu("b"), "two", {})));
  run(mps_.leave(gpu("a").id, "one"));
  EXPECT_EQ(daemon("aaaaaaaa"), 0);
  EXPECT_NE(daemon("bbbbbbbb"), 0);
}

TEST_F(MpsTest, ARestartedAgentReusesARunningDaemonAndStopsAnUnusedOne) {
  ASSERT_TRUE(run(mps_.join(gpu("a"), "one", {})));
  ASSERT_TRUE(run(mps_.join(gpu("b"), "two", {})));
  Mps later(folder_ + "/mps", control_);
  ASSERT_TRUE(run(later.join(gpu("a"), "one", {})));
  run(later.tend());
  EXPECT_EQ(starts("aaaaaaaa"), 1);
  EXPECT_NE(daemon("aaaaaaaa"), 0);
  EXPECT_EQ(daemon("bbbbbbbb"), 0);
}

TEST_F(MpsTest, ADeadDaemonIsRestarted) {
  ASSERT_TRUE(run(mps_.join(gpu("a"), "one", {})));
  pid_t first = daemon("aaaaaaaa");
  ASSERT_NE(first, 0);
  ::kill(first, SIGKILL);
  while (daemon("aaaaaaaa") == first) {
  }
  run(mps_.tend());
  EXPECT_NE(daemon("aaaaaaaa"), 0);
  EXPECT_EQ(starts("aaaaaaaa"), 2);
}

TEST_F(MpsTest, AContainerThatJoinsWhileTheDaemonStopsGetsANewOne) {
  ASSERT_TRUE(run(mps_.join(gpu("a"), "one", {})));
  auto left = asio::co_spawn(io_, mps_.leave(gpu("a").id, "one"), asio::use_future);
  auto joined = run(mps_.join(gpu("a"), "two", {}));
  ASSERT_TRUE(joined);
  EXPECT_NE(daemon("aaaaaaaa"), 0);
}

TEST_F(MpsTest, AMissingControlProgramIsNamedInTheReason) {
  Mps absent(folder_, "nvidia-cuda-mps-control");
  auto rejected = run(absent.join(gpu("a"), "one", {}));
  ASSERT_FALSE(rejected);
  EXPECT_EQ(rejected.error(), "ResourceInitializationError: GPU " + gpu("a").id +
                                  " cannot be shared: nvidia-cuda-mps-control was not found");
}

TEST_F(MpsTest, TheOutputOfTheControlProgramIsInTheReason) {
  std::ofstream(control_) << "#!/bin/sh\necho 'Cannot find MPS control daemon process'\nexit 1\n";
  auto rejected = run(mps_.join(gpu("a"), "one", {}));
  ASSERT_FALSE(rejected);
  EXPECT_THAT(rejected.error(), HasSubstr("-d exited with 1: Cannot find MPS control daemon process"));
}

TEST_F(MpsTest, ACommandThatHangsIsKilled) {
  Command command;
  command.words = {"sleep", "100"};
  command.output_file = folder_ + "/out";
  command.deadline = base::Duration(50);
  auto late = run(run_command(std::move(command)));
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error(), HasSubstr("did not end in time"));
}

}  // namespace
}  // namespace agent::gpu
