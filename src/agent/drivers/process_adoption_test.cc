// SPDX-License-Identifier: Apache-2.0
// Processes outlive the agent and are found again, even if their shim died.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include "agent/drivers/process_fixture.h"

namespace agent::drivers {
namespace {

using testing::HasSubstr;

class Adoption : public ProcessFixture {
 protected:
  void restart_agent() {
    driver_.reset();
    open();
  }
  Phase phase(const std::string& id) {
    const auto found = run(driver_->list());
    for (const Found& process : *found) {
      if (process.id == id) return process.phase;
    }
    throw std::runtime_error(id + " is not listed");
  }
  // The command dies with its shim.
  void kill_shim(const std::string& id) {
    const auto shim = lock_holder(process_folder(id));
    ASSERT_TRUE(shim);
    ::kill(*shim, SIGKILL);
    while (lock_holder(process_folder(id))) usleep(1000);
  }
};

TEST_F(Adoption, AllProcessesOfTheAgentAreListedWithTheirPhase) {
  const std::string made = create(shell("true")), runs = start(shell("sleep 1000")), ended = start(shell("true"));
  wait(ended);
  restart_agent();
  EXPECT_EQ(phase(made), Phase::Created);
  EXPECT_EQ(phase(runs), Phase::Running);
  EXPECT_EQ(phase(ended), Phase::Exited);
  const auto found = run(driver_->list());
  ASSERT_EQ(found->size(), 3u);
  EXPECT_EQ(found->front().task_arn, task_.arn);
  EXPECT_EQ(found->front().container, "main");
}

TEST_F(Adoption, ProcessesOfAnotherAgentAreNotTouched) {
  const std::string id = start(shell("sleep 1000"));
  ProcessOptions other = options_;
  other.agent_name = "another";
  auto stranger = open_process(other);
  EXPECT_TRUE(run((*stranger)->list())->empty());
  EXPECT_TRUE(run((*stranger)->remove(id)));
  EXPECT_EQ(phase(id), Phase::Running);
  Cgroups::find().remove("stoker/another");
}

TEST_F(Adoption, TheNextAgentWaitsForARunningProcess) {
  const std::string go = folder_ + "/go";
  const std::string id = start(shell("while [ ! -e " + go + " ]; do sleep 0.01; done; echo done; exit 5"));
  restart_agent();
  EXPECT_EQ(phase(id), Phase::Running);
  std::ofstream(go) << "go";
  EXPECT_EQ(wait(id).code, 5);
  EXPECT_EQ(output(), "done\n");
}

TEST_F(Adoption, AProcessThatEndedWithoutAnAgentKeepsItsExitCode) {
  const std::string id = start(shell("echo $$ > " + folder_ + "/up; exit 6"));
  driver_.reset();
  while (!read_exit(process_folder(id))) usleep(1000);
  open();
  EXPECT_EQ(phase(id), Phase::Exited);
  EXPECT_EQ(wait(id).code, 6);
}

TEST_F(Adoption, TheNextAgentStopsARunningProcess) {
  const std::string id = start(shell("trap 'exit 8' TERM; echo $$ > " + folder_ + "/up; while :; do sleep 0.01; done"));
  await_file(folder_ + "/up");
  restart_agent();
  EXPECT_TRUE(run(driver_->stop(id, std::chrono::seconds(30))));
  EXPECT_EQ(wait(id).code, 8);
}

TEST_F(Adoption, WhenAShimIsKilledItsProcessesDieAndTheReasonIsReported) {
  const std::string id =
      start(shell("sleep 1000 & echo $! > " + folder_ + "/child; echo $$ > " + folder_ + "/up; wait"));
  const pid_t pid = pid_in(folder_ + "/up"), child = pid_in(folder_ + "/child");
  kill_shim(id);
  restart_agent();
  EXPECT_EQ(phase(id), Phase::Exited);
  const Exit exit = wait(id);
  EXPECT_EQ(exit.code, 137);
  EXPECT_THAT(exit.error, HasSubstr("its shim was killed"));
  await_end(pid);
  await_end(child);
  EXPECT_EQ(wait(id).code, 137) << "the exit code is kept";
}

TEST_F(Adoption, AWaitEndsWhenTheShimIsKilled) {
  const std::string id = start(shell("echo $$ > " + folder_ + "/up; sleep 1000"));
  await_file(folder_ + "/up");
  kill_shim(id);
  EXPECT_EQ(wait(id).code, 137);
}

TEST_F(Adoption, StopKillsAShimThatDoesNotRespond) {
  options_.kill_timeout = std::chrono::milliseconds(100);
  restart_agent();
  const std::string id = start(shell("echo $$ > " + folder_ + "/up; exec sleep 1000"));
  const pid_t pid = pid_in(folder_ + "/up");
  ::kill(*lock_holder(process_folder(id)), SIGSTOP);
  EXPECT_TRUE(run(driver_->stop(id, std::chrono::milliseconds(10))));
  EXPECT_EQ(wait(id).code, 137);
  await_end(pid);
}

TEST_F(Adoption, AfterARebootAProcessIsReportedAsExited) {
  const std::string id = create(shell("sleep 1000"));
  // Its process id now belongs to another process: this test. It must not be killed.
  ShimSpec spec = *read_spec(process_folder(id));
  spec.boot_id = "earlier";
  ASSERT_TRUE(write_part(process_folder(id), "spec.json", spec));
  ASSERT_TRUE(write_part(process_folder(id), "started.json", ShimStarted{::getpid(), *start_ticks(::getpid()), 1}));
  restart_agent();
  EXPECT_EQ(phase(id), Phase::Exited);
  const Exit exit = wait(id);
  EXPECT_EQ(exit.code, 137);
  EXPECT_THAT(exit.error, HasSubstr("rebooted"));
}

TEST_F(Adoption, AReusedProcessIdIsNotKilled) {
  const std::string id = create(shell("sleep 1000"));
  ASSERT_TRUE(write_part(process_folder(id), "started.json", ShimStarted{::getpid(), 12345, 1}));
  EXPECT_EQ(wait(id).code, 137);
}

TEST_F(Adoption, ACancelledWaitLeavesTheProcessRunning) {
  const std::string id = start(shell("sleep 1000"));
  boost::asio::cancellation_signal cancel;
  bool thrown = false;
  std::optional<base::Result<Exit>> result;
  boost::asio::co_spawn(
      io_, store_result(driver_->wait(id), result),
      boost::asio::bind_cancellation_slot(cancel.slot(), [&](std::exception_ptr error) { thrown = error != nullptr; }));
  io_.restart();
  io_.poll();
  cancel.emit(boost::asio::cancellation_type::terminal);
  io_.run_for(kTestTimeout);
  EXPECT_TRUE(thrown);
  EXPECT_FALSE(result);
  EXPECT_EQ(phase(id), Phase::Running);
}

TEST_F(Adoption, AnEndedProcessCanBeStartedAgain) {
  const std::string id = start(shell("echo run; exit 3"));
  EXPECT_EQ(wait(id).code, 3);
  EXPECT_TRUE(run(driver_->start(id)));
  EXPECT_EQ(wait(id).code, 3);
  EXPECT_EQ(output(), "run\nrun\n");
}

TEST_F(Adoption, AProcessWhoseStateCannotBeReadIsNotReportedAsEnded) {
  const std::string id = start(shell("sleep 1000"));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_THROW((void)run(driver_->wait(id)), std::runtime_error);
  EXPECT_THROW((void)run(driver_->stop(id, base::Duration(0))), std::runtime_error);
  EXPECT_THROW((void)run(driver_->remove(id)), std::runtime_error);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(phase(id), Phase::Running);
}

TEST_F(Adoption, AFolderWithAnInvalidSpecIsSkipped) {
  std::filesystem::create_directories(options_.folder + "/garbage");
  std::ofstream(options_.folder + "/garbage/spec.json") << "{\"agent\": [";
  const auto found = run(driver_->list());
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->empty());
}

}  // namespace
}  // namespace agent::drivers
