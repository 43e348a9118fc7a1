// SPDX-License-Identifier: Apache-2.0
// What commands in processes share with the task: cgroup, user, namespaces.
#include "agent/drivers/process_exec.h"

#include <gmock/gmock.h>

#include "agent/drivers/exec_fixture.h"
#include "agent/drivers/exec_launch.h"
#include "agent/drivers/task_process.h"

namespace agent::drivers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ProcessExecTest : public ExecTest<ProcessWorld> {};

TEST_F(ProcessExecTest, ACommandIsInTheCgroupAndTheFolderOfItsTask) {
  const std::string id = start_container("cat /proc/self/cgroup > " + folder_ + "/cgroup; cd " + folder_ +
                                         "; touch moved; echo x > up; " + kContainerRunsOn);
  await_file(folder_ + "/up");
  ExecStream& stream = open(id, script("ls moved; cat /proc/self/cgroup"));
  std::ostringstream own;
  own << "moved\n" << std::ifstream(folder_ + "/cgroup").rdbuf();
  EXPECT_EQ(read(stream), own.str());
}

TEST_F(ProcessExecTest, ACommandHasTheUserOfItsTask) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  std::filesystem::permissions(folder_, std::filesystem::perms(0777));
  ContainerSpec container = shell(kContainerRunsOn);
  container.container.dockerConfig.config = R"({"User":"65534:65533"})";
  const std::string id = start(container);
  ExecStream& stream = open(id, terminal("id -u; id -g; grep CapEff /proc/self/status; "
                                         "cat /proc/$PPID/comm; echo hi > /dev/tty"));
  const std::string text = read(stream);
  EXPECT_THAT(text, HasSubstr("65534\r\n65533\r\nCapEff:\t0000000000000000\r\n"));
  EXPECT_THAT(text, HasSubstr("stoker-exec\r\nhi\r\n"));
}

TEST_F(ProcessExecTest, ACommandSeesTheMountsOfItsTask) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, for a mount namespace";
  const std::string mounted = folder_ + "/mounted";
  std::filesystem::create_directory(mounted);
  const std::string id = start_container("exec unshare -m -u sh -c 'mount -t tmpfs x " + mounted + " && hostname inside && "
                                         "echo from inside > " + mounted + "/file && echo x > " + folder_ + "/up && " +
                                         kContainerRunsOn + "'");
  await_file(folder_ + "/up");
  EXPECT_FALSE(std::filesystem::exists(mounted + "/file"));
  ExecStream& stream = open(id, script("cat " + mounted + "/file; hostname"));
  EXPECT_EQ(read(stream), "from inside\ninside\n");
  EXPECT_EQ(end(stream).code, 0);
}

TEST_F(ProcessExecTest, ACommandEntersAPidNamespace) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, for a pid namespace";
  const std::string id = start_container("exec unshare -p -f --mount-proc sh -c 'echo x > " + folder_ + "/up; " +
                                         kContainerRunsOn + "'");
  await_file(folder_ + "/up");
  const auto started = read_started(process_folder(id));
  ASSERT_TRUE(started);
  pid_t child = 0;
  std::ifstream("/proc/" + std::to_string(started->pid) + "/task/" + std::to_string(started->pid) + "/children") >> child;
  ASSERT_GT(child, 0);
  ExecSpec spec;
  spec.target = child;
  spec.target_ticks = start_ticks(child).value_or(0);
  for (const bool killed : {false, true}) {
    const std::string text = killed ? "echo up; exec sleep 100" : "ls /proc | grep -c '^[0-9]*$'; exit 9";
    auto stream = call(exec_in_process(options_.exec_command, spec, script(text)));
    ASSERT_TRUE(stream) << stream.error();
    streams_.push_back(std::move(*stream));
    ExecStream& opened = *streams_.back();
    const std::string output = read(opened, "\n");
    if (killed) finish(opened.hang_up());
    if (!killed) {
      EXPECT_LT(std::stoi(output), 10) << "it sees the processes of the namespace only";
    }
    read(opened);
    EXPECT_EQ(end(opened).code, killed ? 129 : 9);
    EXPECT_TRUE(is_gone(opened.pid()));
  }
}

class IsolatedExecTest : public ProcessExecTest {
 protected:
  void configure() override {
    if (::geteuid() != 0) return;
    options_.isolation.task_uids = "1999000100-1999000199";
    options_.isolation.claims = folder_ + "/claims";
    options_.isolation.hidden = {folder_};
  }
};

TEST_F(IsolatedExecTest, ACommandHasNoMoreRightsThanItsTask) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can choose users";
  const std::string rights = "id -u; id -g; id -G; grep -E 'Cap|NoNewPrivs' /proc/self/status; ls " + folder_ + " 2>&1";
  const std::string id = start_container(rights + "; echo shown; " + kContainerRunsOn);
  ASSERT_TRUE(Waiting::eventually([&] { return output().ends_with("shown\n"); }));
  ExecStream& stream = open(id, script(rights + "; echo shown"));
  const std::string text = read(stream);
  EXPECT_EQ(text, output());
  EXPECT_THAT(text, HasSubstr("CapBnd:\t0000000000000000\n"));
  EXPECT_EQ(end(stream).code, 0);
}

TEST_F(ProcessExecTest, AttachedToAProcessTheOutputFromNowOnIsShown) {
  const std::string id = start_container("echo before; while ! test -e " + folder_ + "/go; do sleep 0.02; done; "
                                         "echo after; echo bad >&2; exit 6");
  ASSERT_TRUE(Waiting::eventually([&] { return output() == "before\n"; }));
  ExecRequest request;
  request.attach = true;
  ExecStream& stream = open(id, request);
  std::ofstream(folder_ + "/go") << "x";
  const ExecText text = call(read_text_until(stream, ""));
  EXPECT_EQ(text.out, "after\n");
  EXPECT_EQ(text.err, "bad\n");
  EXPECT_EQ(end(stream).code, 6);
}

TEST_F(ProcessExecTest, AShimThatDoesNotAnswerIsAnError) {
  const std::vector<std::string> program = {"/bin/sh", "-c", "sleep 100 &"};
  ExecSpec spec;
  auto started = call(ExecLauncher::start(program, spec, {-1, -1, -1}, std::chrono::milliseconds(10)));
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error(), HasSubstr("in time"));
}

TEST_F(ProcessExecTest, AGuardLeavesAProcessWithAReusedNumberAlone) {
  const std::string id = start_container(kContainerRunsOn);
  const auto started = read_started(process_folder(id));
  ASSERT_TRUE(started);
  ExecSpec spec;
  spec.guarded = started->pid;
  spec.guarded_ticks = started->start_ticks + 1;
  auto guard = call(ExecLauncher::start(options_.exec_command, spec, {-1, -1, -1}));
  ASSERT_TRUE(guard) << guard.error();
  (*guard)->hang_up();
  // The guard has left: its end of the socket is closed.
  ASSERT_TRUE(Waiting::eventually([&] { return (*guard)->end().has_value(); }));
  EXPECT_EQ(start_ticks(static_cast<pid_t>(started->pid)), started->start_ticks);
}

TEST_F(ProcessExecTest, InputOfAProcessIsRefusedWithAReason) {
  const std::string id = start_container(kContainerRunsOn);
  ExecRequest request;
  request.attach = request.input = true;
  EXPECT_THAT(open_error(id, request), HasSubstr("no input to attach to"));
}

TEST(TaskProcess, RightsAreReadFromTheStatus) {
  auto rights = parse_rights(
      "Name:\tsh\nUmask:\t0027\nUid:\t1000\t1001\t1002\t1003\nGid:\t100\t101\t102\t103\nGroups:\t4 24 \n"
      "CapInh:\t0000000000000001\nCapPrm:\t00000000a80425fb\nCapEff:\t00000000a80425fb\nCapBnd:\t000001ffffffffff\n"
      "CapAmb:\t0000000000000002\nNoNewPrivs:\t1\nSeccomp:\t0\n");
  ASSERT_TRUE(rights) << rights.error();
  EXPECT_EQ(rights->uid, 1001u);
  EXPECT_EQ(rights->gid, 101u);
  EXPECT_THAT(rights->groups, ElementsAre(4, 24));
  EXPECT_EQ(rights->permitted, 0xa80425fbu);
  EXPECT_EQ(rights->bounding, 0x1ffffffffffu);
  EXPECT_EQ(rights->ambient, 2u);
  EXPECT_TRUE(rights->no_new_privileges);
  EXPECT_EQ(rights->umask, 027);
  EXPECT_FALSE(parse_rights("Name:\tsh\n"));
}

TEST(TaskProcess, IdsAreMappedIntoAUserNamespace) {
  EXPECT_EQ(mapped_id("         0       1000          1\n         1     100000      65536\n", 1000), 0u);
  EXPECT_EQ(mapped_id("0 1000 1\n1 100000 65536\n", 100004), 5u);
  EXPECT_EQ(mapped_id("0 0 4294967295\n", 77), 77u);
  EXPECT_EQ(mapped_id("", 5), 5u);
}

}  // namespace
}  // namespace agent::drivers
