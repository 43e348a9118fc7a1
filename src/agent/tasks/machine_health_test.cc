// SPDX-License-Identifier: Apache-2.0
#include "agent/exec/exec_sessions.h"
#include "agent/tasks/machine_health.h"

#include "agent/session/health_watch.h"
#include "agent/tasks/test_machine.h"

namespace agent {
namespace {

constexpr const char* kFull = "CannotCreateContainerError: write /x: no space left on device";
const base::Time kStart = base::from_seconds(1000);

std::vector<std::string> kinds(const MachineHealth& health) {
  std::vector<std::string> all;
  for (const auto& trouble : health.message().troubles) all.push_back(trouble.kind);
  return all;
}
using Kinds = std::vector<std::string>;

TEST(MachineFault, IsToldFromTheTasksOwnFaults) {
  for (const char* error :
       {kFull, "CannotStartContainerError: nvidia-container-cli: initialization error: nvml error: driver mismatch",
        "CannotStartContainerError: fork: Cannot allocate memory"}) {
    EXPECT_TRUE(is_machine_fault(error)) << error;
  }
  for (const char* error :
       {"CannotPullContainerError: manifest unknown", "CannotPullContainerError: pull access denied for x",
        "CannotStartContainerError: failed to create shim task: OCI runtime create failed: exec: \"x\": executable file "
        "not found in $PATH",
        "CannotStartContainerError: port is already allocated"}) {
    EXPECT_FALSE(is_machine_fault(error)) << error;
  }
}

TEST(MachineHealth, PausesAfterThreeFailuresInARowAndTwiceAsLongTheNextTime) {
  MachineHealth health;
  health.note_failure(kFull, kStart);
  health.note_failure("CannotPullContainerError: manifest unknown", kStart);
  health.note_failure(kFull, kStart);
  EXPECT_EQ(kinds(health), Kinds());
  health.note_failure(kFull, kStart);
  EXPECT_EQ(kinds(health), Kinds{"starts"});
  EXPECT_NE(health.message().troubles[0].reason.find("no space left"), std::string::npos);
  EXPECT_EQ(*health.paused_until(), kStart + MachineHealth::kFirstPause);

  health.resume(kStart + MachineHealth::kFirstPause - std::chrono::milliseconds(1));
  EXPECT_EQ(kinds(health), Kinds{"starts"});
  const base::Time later = kStart + MachineHealth::kFirstPause;
  health.resume(later);
  EXPECT_EQ(kinds(health), Kinds());
  health.note_failure(kFull, later);
  EXPECT_EQ(*health.paused_until(), later + 2 * MachineHealth::kFirstPause) << "one failure is enough now";
  for (int i = 0; i < 10; ++i) {
    const base::Time end = *health.paused_until();
    health.resume(end);
    health.note_failure(kFull, end);
    EXPECT_LE(*health.paused_until() - end, MachineHealth::kLongestPause);
  }
}

TEST(MachineHealth, AStartEndsThePauseAndResetsTheCount) {
  MachineHealth health;
  for (int i = 0; i < 3; ++i) health.note_failure(kFull, kStart);
  health.note_start();
  EXPECT_EQ(kinds(health), Kinds());
  health.note_failure(kFull, kStart);
  health.note_failure(kFull, kStart);
  EXPECT_EQ(kinds(health), Kinds());
}

TEST(MachineHealth, ATroubleKeepsItsTimeAndTakesTheLatestReason) {
  MachineHealth health;
  health.set("engine", "a", kStart);
  health.set("engine", "b", kStart + std::chrono::seconds(5));
  ASSERT_EQ(kinds(health), Kinds{"engine"});
  EXPECT_EQ(health.message().troubles[0].reason, "b");
  EXPECT_EQ(health.message().troubles[0].since, base::to_millis(kStart));
  health.clear("disk");
  health.clear("engine");
  EXPECT_EQ(kinds(health), Kinds());
}

TEST(DiskTrouble, NamesTheFolderAndNeedsAQuarterMoreToRecover) {
  TestFolder folder;
  EXPECT_FALSE(disk_trouble({{folder.path}, 0}, false));
  const auto full = disk_trouble({{folder.path}, std::int64_t{1} << 40}, false);
  ASSERT_TRUE(full);
  EXPECT_NE(full->find(" MiB free in " + folder.path + ", 1099511627776 MiB required"), std::string::npos) << *full;
  EXPECT_NE(disk_trouble({{folder.path}, std::int64_t{1} << 40}, true)->find("1374389534720 MiB"), std::string::npos);
  EXPECT_FALSE(disk_trouble({{folder.path + "/none"}, std::int64_t{1} << 40}, false));
}

class EngineWatch : public MachineTest {
 protected:
  EngineWatch()
      : logs_(*machine_, *tasks_),
        commands_(*machine_, *tasks_),
        session_(*machine_, *tasks_, logs_, commands_),
        watch_(*machine_, session_, {}) {
    coroutines_.spawn("engine", watch_.watch_engine());
  }
  ~EngineWatch() override {
    coroutines_.cancel();
    until([&] { return coroutines_.empty(); });
  }

  LogStreams logs_;
  ExecSessions commands_;
  Session session_;
  HealthWatch watch_;
  Coroutines coroutines_{io_.get_executor()};
};

TEST_F(EngineWatch, AnEngineThatStopsIsATroubleUntilItReturnsAndTasksGoOn) {
  auto task = test_task("t", {test_container("web")});
  tasks_->accept(task);
  until([&] { return driver_.runs("web"); });
  driver_.engine_error = "connection refused";
  driver_.wake();
  until([&] { return kinds(machine_->health) == Kinds{"engine"}; });
  EXPECT_EQ(machine_->health.message().troubles[0].reason,
            "its container engine does not respond: connection refused");
  EXPECT_TRUE(driver_.runs("web"));
  EXPECT_FALSE(ended(task));
  driver_.engine_error = "";
  until([&] { return kinds(machine_->health).empty(); });
  EXPECT_FALSE(ended(task));
}

TEST_F(EngineWatch, ContainersThatFailBecauseOfTheMachineAreCounted) {
  driver_.create_errors["web"] = kFull;
  for (int i = 0; i < 3; ++i) {
    auto task = test_task("t" + std::to_string(i), {test_container("web")});
    tasks_->accept(task);
    until([&] { return ended(task); });
  }
  EXPECT_EQ(kinds(machine_->health), Kinds{"starts"});
  EXPECT_TRUE(driver_.ended_tasks.contains(test_task("t0", {}).arn));
}

}  // namespace
}  // namespace agent
