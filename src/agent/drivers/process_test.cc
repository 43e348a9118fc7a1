// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/process.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>

#include "agent/drivers/cpu_percent.h"
#include "agent/drivers/process_fixture.h"

namespace agent::drivers {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Process : public ProcessFixture {};

TEST_F(Process, TheExitCodeIsTheCommands) {
  EXPECT_EQ(run_to_end(shell("exit 0")).code, 0);
  EXPECT_EQ(run_to_end(shell("exit 42")).code, 42);
}

TEST_F(Process, TheExitCodeAfterASignalIs128PlusTheSignal) {
  EXPECT_EQ(run_to_end(shell("kill -SEGV $$")).code, 139);
  EXPECT_EQ(run_to_end(shell("kill -KILL $$")).code, 137);
}

TEST_F(Process, EntryPointAndCommandAreJoined) {
  ContainerSpec both = spec({"a b", "$c"});
  both.container.entryPoint = {"/usr/bin/printf", "[%s]"};
  EXPECT_EQ(run_to_end(both).code, 0);
  EXPECT_EQ(output(), "[a b][$c]");
}

TEST_F(Process, AProcessWithoutACommandDoesNotStart) {
  ContainerSpec none = spec({});
  none.container.command.reset();
  const auto started = run(driver_->start(create(none)));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error(),
            "CannotStartContainerError: the process driver runs entryPoint and command, and the container has neither");
}

TEST_F(Process, AMissingCommandIsNamedInTheError) {
  const std::string id = create(spec({"no-such-command", "x"}));
  const auto started = run(driver_->start(id));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error(), "CannotStartContainerError: exec: \"no-such-command\": no such file or directory");
  EXPECT_THAT(wait(id).error, HasSubstr("no-such-command"));
}

TEST_F(Process, ACommandThatIsNotExecutableIsNamedInTheError) {
  const auto started = run(driver_->start(create(spec({"/etc/passwd"}))));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error(), "CannotStartContainerError: exec: \"/etc/passwd\": permission denied");
}

TEST_F(Process, AMissingWorkingDirectoryIsNamedInTheError) {
  ContainerSpec nowhere = shell("true");
  nowhere.container.dockerConfig.config = R"({"WorkingDir": "/no/such"})";
  const auto started = run(driver_->start(create(nowhere)));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error(), "CannotStartContainerError: chdir to \"/no/such\": no such file or directory");
}

TEST_F(Process, BothStreamsAreLogged) {
  EXPECT_EQ(run_to_end(shell("echo out; echo err >&2; printf tail")).code, 0);
  EXPECT_EQ(output("stdout"), "out\ntail") << "byte for byte: the last line has no end";
  EXPECT_EQ(output("stderr"), "err\n");
}

TEST_F(Process, ALargeOutputIsLoggedCompletely) {
  EXPECT_EQ(run_to_end(shell("seq 1 200000; head -c 40000 /dev/zero | tr '\\0' x")).code, 0);
  LogReader reader(folder_ + "/main.log");
  std::size_t lines = 0, bytes = 0;
  for (auto some = reader.read(5000); !some.empty(); some = reader.read(5000)) {
    for (const LogLine& line : some) {
      bytes += line.text.size();
      if (!line.partial) ++lines;
    }
  }
  EXPECT_EQ(lines, 200'000u);
  // 9 x 1 + 90 x 2 + 900 x 3 + 9,000 x 4 + 90,000 x 5 + 100,001 x 6 digits
  EXPECT_EQ(bytes, 1'088'895u + 40'000u);
}

TEST_F(Process, AProcessHasItsOwnSessionAndNoInheritedDescriptors) {
  EXPECT_EQ(run_to_end(shell("ls /proc/$$/fd; cut -d' ' -f6 /proc/$$/stat | grep -qx $$ && echo leads")).code, 0);
  // sh -c has no script file open, and ls opens the folder in another process.
  EXPECT_EQ(output(), "0\n1\n2\nleads\n");
}

TEST_F(Process, StopSendsTheStopSignalAndWaits) {
  const std::string id =
      start(shell("trap 'echo got; exit 7' TERM; echo $$ > " + folder_ + "/up; " + kRunOn));
  await_file(folder_ + "/up");
  EXPECT_TRUE(run(driver_->stop(id, std::chrono::seconds(30))));
  EXPECT_EQ(wait(id).code, 7);
  EXPECT_EQ(output(), "got\n");
  EXPECT_TRUE(run(driver_->stop(id, std::chrono::seconds(30)))) << "stopping an ended process is not an error";
}

TEST_F(Process, TheStopSignalIsConfigurable) {
  ContainerSpec other = shell("trap 'exit 9' INT; echo $$ > " + folder_ + "/up; " + kRunOn);
  other.container.dockerConfig.config = R"({"StopSignal": "SIGINT"})";
  const std::string id = start(other);
  await_file(folder_ + "/up");
  EXPECT_TRUE(run(driver_->stop(id, std::chrono::seconds(30))));
  EXPECT_EQ(wait(id).code, 9);
}

TEST_F(Process, AProcessThatIgnoresTheStopSignalIsKilledAfterTheGracePeriod) {
  const std::string id = start(shell("trap '' TERM; echo $$ > " + folder_ + "/up; " + kRunOn));
  await_file(folder_ + "/up");
  EXPECT_TRUE(run(driver_->stop(id, std::chrono::milliseconds(50))));
  EXPECT_EQ(wait(id).code, 137);
}

TEST_F(Process, NoDescendantOutlivesAProcess) {
  // One child in its group, and one in its own session whose parent has ended.
  const std::string id =
      start(shell("sleep 1000 & echo $! > " + folder_ + "/child; setsid sh -c 'sleep 1000 & echo $! > " + folder_ +
                  "/escaped' & wait $!; exit 3"));
  EXPECT_EQ(wait(id).code, 3);
  for (const char* name : {"/child", "/escaped"}) EXPECT_EQ(start_ticks(pid_in(folder_ + name)), std::nullopt) << name;
}

TEST_F(Process, TheSpecIsPrivateBecauseItHoldsSecrets) {
  ContainerSpec secret = shell("true");
  secret.container.environment["PASSWORD"] = "hunter2";
  const std::string folder = process_folder(create(secret));
  struct stat status {};
  ASSERT_EQ(::stat((folder + "/spec.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat(folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(Process, StartingARunningProcessReturnsTheSameResult) {
  const std::string id = create(shell("sleep 1000"));
  const auto first = run(driver_->start(id)), second = run(driver_->start(id));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->pid, second->pid);
  EXPECT_EQ(first->at, second->at);
}

TEST_F(Process, RemoveEndsAProcessAndKeepsOnlyItsLog) {
  const std::string id = start(shell("echo hello; echo $$ > " + folder_ + "/up; sleep 1000"));
  const pid_t pid = pid_in(folder_ + "/up");
  EXPECT_TRUE(run(driver_->remove(id)));
  EXPECT_EQ(start_ticks(pid), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(process_folder(id)));
  EXPECT_EQ(output(), "hello\n");
  EXPECT_TRUE(run(driver_->remove(id))) << "removing a missing process is not an error";
  EXPECT_FALSE(run(driver_->wait(id)));
}

TEST_F(Process, AnIdCannotEscapeTheFolder) {
  for (const char* id : {"", ".", "..", "../x", "a/b"}) EXPECT_FALSE(run(driver_->wait(id))) << id;
}

TEST_F(Process, UsageHasCpuAndMemory) {
  const std::string id = start(shell("while :; do :; done"));
  Usage usage;
  // The kernel counts CPU time in ticks: the first samples may show none.
  for (const auto end = std::chrono::steady_clock::now() + kTestTimeout; usage.cpu_percent == 0;) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << "no CPU time was measured";
    const auto sample = run(driver_->usage(id));
    ASSERT_TRUE(sample) << sample.error();
    usage = *sample;
  }
  EXPECT_GT(usage.memory_bytes, 50'000);
}

TEST(CpuPercent, IsTheShareOfOneCore) {
  using std::chrono::seconds;
  EXPECT_DOUBLE_EQ(cpu_percent(500'000'000, seconds(1)), 50);
  EXPECT_DOUBLE_EQ(cpu_percent(3'000'000'000, seconds(2)), 150);
  EXPECT_EQ(cpu_percent(1, seconds(0)), 0) << "no time has passed";
  EXPECT_EQ(cpu_percent(-1, seconds(1)), 0) << "the counter was reset";
}

}  // namespace
}  // namespace agent::drivers
