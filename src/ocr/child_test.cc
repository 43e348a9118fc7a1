// SPDX-License-Identifier: Apache-2.0
#include "ocr/child.h"

#include <gmock/gmock.h>
#include <linux/landlock.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace ocr {
namespace {

using testing::HasSubstr;

// Runs a shell script, confined, to its end.
struct Ran {
  int status = 0;
  std::string output;
};

Ran run_script(const std::string& script, ResourceLimits limits = {}) {
  const Descriptor output(::memfd_create("output", MFD_CLOEXEC));
  ChildCommand command;
  command.arguments = {"/bin/sh", "-c", script};
  command.environment = {"PATH=/usr/bin:/bin"};
  command.output = command.errors = output.get();
  command.limits = limits;
  command.hidden_files = true;
  Child child(command);
  EXPECT_TRUE(child.wait(std::chrono::steady_clock::now() + std::chrono::minutes(2)));
  Ran ran{child.end(), std::string(64 << 10, '\0')};
  ran.output.resize(std::size_t(::pread(output.get(), ran.output.data(), ran.output.size(), 0)));
  return ran;
}

TEST(Child, HasAStatusAndAnOutput) {
  const Ran ran = run_script("echo hello; exit 3");
  EXPECT_EQ(ran.output, "hello\n");
  EXPECT_EQ(WEXITSTATUS(ran.status), 3);
  EXPECT_EQ(describe_status(ran.status), "ended with status 3");
}

TEST(Child, ThatIsMissingIsNotStarted) {
  ChildCommand command;
  command.arguments = {"/nowhere/program"};
  command.errors = 1;
  Child child(command);
  EXPECT_TRUE(child.wait(std::chrono::steady_clock::now() + std::chrono::minutes(2)));
  EXPECT_EQ(WEXITSTATUS(child.end()), kNotStarted);
}

TEST(Child, ThatHangsEndsWithItsOwner) {
  ChildCommand command;
  command.arguments = {"/bin/sh", "-c", "while :; do :; done"};
  Child child(command);
  EXPECT_FALSE(child.has_ended());
  EXPECT_EQ(WTERMSIG(child.end()), SIGKILL);
  EXPECT_TRUE(child.has_ended());
}

TEST(Confinement, HasNoNetwork) {
  const Ran ran = run_script("exec python3 -c 'import socket; socket.socket()'");
  EXPECT_THAT(ran.output, HasSubstr("Operation not permitted"));
}

TEST(Confinement, CannotEndOtherProcesses) {
  const Ran ran = run_script("kill -0 1 && echo could");
  EXPECT_THAT(ran.output, HasSubstr("not permitted"));
}

TEST(Confinement, ReadsAndWritesNoFiles) {
  if (::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) < 1) {
    GTEST_SKIP() << "this kernel has no Landlock";
  }
  const std::string path = testing::TempDir() + "confined";
  const Ran ran = run_script("echo x > " + path + " && echo wrote; cat /etc/passwd > /dev/stdout && echo read");
  EXPECT_THAT(ran.output, HasSubstr("Permission denied"));
  EXPECT_THAT(ran.output, testing::Not(testing::AnyOf(HasSubstr("wrote"), HasSubstr("read\n"))));
}

TEST(Confinement, BoundsMemoryTimeAndOutput) {
  const Ran memory = run_script("exec python3 -c 'bytearray(1 << 30)'", {.memory_bytes = 256 << 20});
  EXPECT_THAT(memory.output, HasSubstr("MemoryError"));
  const Ran time = run_script("while :; do :; done", {.cpu = std::chrono::seconds(1)});
  EXPECT_TRUE(WIFSIGNALED(time.status));
  const Ran output = run_script("yes", {.file_bytes = 4096});
  EXPECT_TRUE(WIFSIGNALED(output.status)) << describe_status(output.status);
  EXPECT_EQ(WTERMSIG(output.status), SIGXFSZ);
}

}  // namespace
}  // namespace ocr
