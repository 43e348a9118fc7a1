// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/cgroup.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "agent/drivers/process_fixture.h"
#include "agent/drivers/process_limits.h"

namespace agent::drivers {
namespace {

using testing::HasSubstr;

// Plain folders and files in place of the kernel's, so that both versions are tested on any machine.
class FakeCgroups : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "cgroup_XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void mount(const std::string& name, const std::string& type, const std::string& options) {
    std::filesystem::create_directories(folder_ + "/" + name + "/a/b");
    std::ofstream(folder_ + "/mountinfo", std::ios::app)
        << "30 24 0:26 / " << folder_ << "/" << name << " rw,nosuid shared:9 - " << type << " cgroup " << options
        << "\n";
  }
  void put(const std::string& file, const std::string& text = "") { std::ofstream(folder_ + "/" + file) << text; }
  std::string get(const std::string& file) const { return read_text(folder_ + "/" + file).value_or("none"); }
  Cgroups find() const { return Cgroups::find(folder_ + "/mountinfo"); }

  std::string folder_;
};

TEST_F(FakeCgroups, WithoutMountsTheKindIsNone) {
  put("mountinfo", "garbage\n - \n1 2 3 4 /proc rw - proc proc rw\n");
  EXPECT_EQ(find().kind(), "none");
  EXPECT_TRUE(find().create("a/b", {.memory_bytes = 5}));
  EXPECT_TRUE(find().join_files("a/b").empty());
}

TEST_F(FakeCgroups, VersionTwoWritesAllLimits) {
  mount("unified", "cgroup2", "rw,nsdelegate");
  for (const char* file : {"memory.max", "memory.low", "memory.swap.max", "cpu.weight", "cpu.max", "pids.max"}) {
    put(std::string("unified/a/b/") + file);
  }
  // The kernel appends to a list; a plain file is overwritten from its start. These words follow
  // the longest write.
  put("unified/cgroup.subtree_control", "........ memory cpu pids\n");
  const Cgroups cgroups = find();
  EXPECT_EQ(cgroups.kind(), "v2");
  EXPECT_TRUE(cgroups.create("a/b", {1000, 0, 500, 1024, 1.5, 99}));
  EXPECT_EQ(get("unified/a/b/memory.max"), "1000");
  EXPECT_EQ(get("unified/a/b/memory.swap.max"), "0");
  EXPECT_EQ(get("unified/a/b/memory.low"), "500");
  EXPECT_EQ(get("unified/a/b/cpu.weight"), "39");
  EXPECT_EQ(get("unified/a/b/cpu.max"), "150000 100000");
  EXPECT_EQ(get("unified/a/b/pids.max"), "99");
}

TEST_F(FakeCgroups, VersionOneWritesAllLimits) {
  mount("memory", "cgroup", "rw,memory");
  mount("cpu", "cgroup", "rw,cpu,cpuacct");
  mount("pids", "cgroup", "rw,pids");
  for (const char* file : {"memory/a/b/memory.limit_in_bytes", "memory/a/b/memory.soft_limit_in_bytes",
                           "memory/a/b/memory.memsw.limit_in_bytes", "cpu/a/b/cpu.shares", "cpu/a/b/cpu.cfs_quota_us",
                           "cpu/a/b/cpu.cfs_period_us", "pids/a/b/pids.max"}) {
    put(file);
  }
  const Cgroups cgroups = find();
  EXPECT_EQ(cgroups.kind(), "v1");
  EXPECT_TRUE(cgroups.create("a/b", {1000, -1, 500, 256, 1.5, 99}));
  EXPECT_EQ(get("memory/a/b/memory.limit_in_bytes"), "1000");
  EXPECT_EQ(get("memory/a/b/memory.memsw.limit_in_bytes"), "2000");
  EXPECT_EQ(get("memory/a/b/memory.soft_limit_in_bytes"), "500");
  EXPECT_EQ(get("cpu/a/b/cpu.shares"), "256");
  EXPECT_EQ(get("cpu/a/b/cpu.cfs_quota_us"), "150000");
  EXPECT_EQ(get("pids/a/b/pids.max"), "99");
  EXPECT_EQ(cgroups.join_files("a/b").size(), 3u);
}

TEST_F(FakeCgroups, AMemoryLimitThatCannotBeSetIsAnError) {
  mount("memory", "cgroup", "rw,memory");
  const auto made = find().create("a/b", {.memory_bytes = 1000});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error(), HasSubstr("memory.limit_in_bytes"));
}

TEST_F(FakeCgroups, OomKillsAreReadFromBothVersions) {
  put("events", "low 0\nhigh 0\nmax 7\noom 2\noom_kill 3\noom_group_kill 9\n");
  EXPECT_EQ(oom_kills(folder_ + "/events"), 3);
  put("control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
  EXPECT_EQ(oom_kills(folder_ + "/control"), 1);
  EXPECT_EQ(oom_kills(folder_ + "/no-such-file"), 0);
}

TEST(ProcessLimits, TaskCpuAndMemoryBecomeLimitsAsInEcs) {
  shapes::agent::Task task;
  task.containers = {{.cpu = 100}, {.cpu = 0}};
  EXPECT_EQ(task_limits(task).cpu_shares, 102);
  task.cpu = 0.5;
  task.memory = 2;
  EXPECT_EQ(task_limits(task).cpu_shares, 512);
  EXPECT_EQ(task_limits(task).cpus, 0.5);
  EXPECT_EQ(task_limits(task).memory_bytes, 2 * 1024 * 1024);
  EXPECT_EQ(container_limits(task.containers[1], {}).cpu_shares, 2);
}

class ProcessCgroups : public ProcessFixture {
 protected:
  void SetUp() override {
    ProcessFixture::SetUp();
    if (!Cgroups::find().limits_memory()) GTEST_SKIP() << "no writable cgroup";
  }
  // tail keeps an unterminated line in memory.
  static constexpr char kHungry[] = "head -c 200000000 /dev/zero | tail -n 1 > /dev/null";
};

TEST_F(ProcessCgroups, AProcessBeyondItsMemoryLimitIsKilledAndReportedAsOutOfMemory) {
  ContainerSpec container = shell(kHungry);
  container.container.memory = 20;
  const Exit exit = run_to_end(container);
  EXPECT_TRUE(exit.out_of_memory);
  EXPECT_EQ(exit.code, 137);
}

TEST_F(ProcessCgroups, TheTaskMemoryLimitAppliesToTheContainer) {
  ContainerSpec container = shell(kHungry);
  container.task.memory = 20;
  EXPECT_TRUE(run_to_end(container).out_of_memory);
}

TEST_F(ProcessCgroups, AProcessWithinItsMemoryLimitIsNotKilled) {
  ContainerSpec container = shell("exit 4");
  container.container.memory = 100;
  const Exit exit = run_to_end(container);
  EXPECT_FALSE(exit.out_of_memory);
  EXPECT_EQ(exit.code, 4);
}

TEST_F(ProcessCgroups, ACommandRunsInItsCgroupAndItsShimOutsideOfIt) {
  const std::string file = folder_ + "/cgroup";
  const std::string id =
      start(shell("cat /proc/$$/cgroup > " + file + ".part; mv " + file + ".part " + file + "; sleep 1000"));
  await_file(file);
  EXPECT_THAT(*read_text(file), HasSubstr("/stoker/" + options_.agent_name + "/0123456789abcdef/" + id));
  const auto shim = read_text("/proc/" + std::to_string(*lock_holder(process_folder(id))) + "/cgroup");
  EXPECT_THAT(*shim, HasSubstr("/stoker/" + options_.agent_name + "/shims"));
  EXPECT_THAT(*shim, testing::Not(HasSubstr(id)));
}

TEST_F(ProcessCgroups, CleanUpRemovesTheCgroupsOfATask) {
  const std::string id = start(shell("true"));
  wait(id);
  EXPECT_TRUE(run(driver_->remove(id)));
  EXPECT_TRUE(run(driver_->clean_up(task_.arn)));
  for (const std::string& file : Cgroups::find().join_files("stoker/" + options_.agent_name + "/0123456789abcdef")) {
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(file).parent_path())) << file;
  }
}

}  // namespace
}  // namespace agent::drivers
