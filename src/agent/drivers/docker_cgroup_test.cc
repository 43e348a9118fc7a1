// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker_cgroup.h"

#include <gmock/gmock.h>


#include "agent/drivers/docker_fixture.h"

namespace agent::drivers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kArn = "arn:aws:ecs:us-east-1:000000000000:task/test/ab-12";

TEST(TaskCgroup, NamesHaveTheAgentAndTheTask) {
  EXPECT_THAT(task_cgroup_path("box:/data", kArn), testing::MatchesRegex("stoker/docker-[0-9a-f]{8}/ab-12"));
  EXPECT_THAT(task_slice("box:/data", kArn), testing::MatchesRegex("stoker-[0-9a-f]{8}-ab_12\\.slice"));
  EXPECT_NE(task_slice("box:/data", kArn), task_slice("box:/other", kArn));
  EXPECT_THAT(task_cgroup_path("a", "task/../../x"), testing::EndsWith("/x"));
}

TEST(TaskCgroup, ASliceHasTheLimitsOfTheTask) {
  CgroupLimits limits;
  EXPECT_THAT(slice_properties(limits, true), IsEmpty());
  limits.memory_bytes = 64 << 20;
  limits.cpus = 0.25;
  EXPECT_THAT(slice_properties(limits, true), ElementsAre("MemoryMax=67108864", "CPUQuota=25%"));
  EXPECT_THAT(slice_properties(limits, false), ElementsAre("MemoryLimit=67108864", "CPUQuota=25%"));
}

class TaskLimits : public DockerTest {
 protected:
  void SetUp() override {
    DockerTest::SetUp();
    if (IsSkipped()) return;
    task_.memory = 64;
    cgroup_ = "/sys/fs/cgroup/memory/" + task_cgroup_path(agent_, task_.arn);
    if (Cgroups::find().kind() == "none") GTEST_SKIP() << "needs writable cgroups";
    if (Cgroups::find().kind() == "v2") cgroup_ = "/sys/fs/cgroup/" + task_cgroup_path(agent_, task_.arn);
  }

  void end_task() {
    boost::asio::co_spawn(io_.at(0), driver_->end_task(task_.arn), boost::asio::use_future).get();
  }

  std::string cgroup_;
};

TEST_F(TaskLimits, ContainersThatTogetherExceedTheTasksMemoryAreKilled) {
  const std::string alone = start(shell("alone", "dd if=/dev/zero of=/dev/null bs=40M count=3"));
  EXPECT_EQ(wait(alone).code, 0);
  // The first keeps its 40 MiB as long as nobody reads from it.
  const std::string first = start(shell("first", "mkfifo /f; sleep 600 < /f & exec dd if=/dev/zero of=/f bs=40M"));
  auto used = [&] {
    auto usage = run(driver_->usage(first));
    return usage && usage->memory_bytes > (35 << 20);
  };
  ASSERT_TRUE(eventually(used));
  reopen();  // the limits do not depend on the agent that set them
  // With cgroups of version 1 the engine watches for kills only when it has started the container.
  const std::string second = start(shared_shell(
      "second", "while ! test -d /shared/go; do sleep 0.05; done; exec dd if=/dev/zero of=/dev/null bs=40M count=100000"));
  std::filesystem::create_directory(folder_ / "go");
  auto ended = [&](const std::string& name) {
    const auto found = run(driver_->list());
    for (const Found& one : *found) {
      if (one.container == name) return one.phase == Phase::Exited;
    }
    return true;
  };
  ASSERT_TRUE(eventually([&] { return ended("first") || ended("second"); })) << "nothing was killed";
  const Exit exit = wait(ended("first") ? first : second);
  EXPECT_EQ(exit.code, 137);
  EXPECT_TRUE(exit.out_of_memory);
}

TEST_F(TaskLimits, TheCgroupIsRemovedWithTheTask) {
  task_.cpu = 0.5;
  const std::string id = start(shell("main", "exit 0"));
  EXPECT_EQ(wait(id).code, 0);
  EXPECT_TRUE(std::filesystem::exists(cgroup_));
  end_task();
  EXPECT_FALSE(std::filesystem::exists(cgroup_));
  for (const auto& mount : std::filesystem::directory_iterator("/sys/fs/cgroup")) {
    EXPECT_FALSE(std::filesystem::exists(mount.path() / task_cgroup_path(agent_, task_.arn))) << mount.path();
  }
}

TEST_F(TaskLimits, ATaskWithoutLimitsHasNoCgroupOfItsOwn) {
  task_.memory.reset();
  EXPECT_EQ(wait(start(shell("main", "exit 0"))).code, 0);
  EXPECT_FALSE(std::filesystem::exists(cgroup_));
}

}  // namespace
}  // namespace agent::drivers
