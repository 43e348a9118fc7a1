// SPDX-License-Identifier: Apache-2.0
// With scripts in place of Slurm's commands: a folder is the queue, with a file per job.
#include "control/providers/slurm_provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/log.h"
#include "base/random.h"
#include "http/block_on.h"
#include "http/io_threads.h"

namespace control::providers {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SlurmQueue, JobIdsMayNameTheirCluster) {
  EXPECT_EQ(parse_job_id("42\n"), "42");
  EXPECT_EQ(parse_job_id("42;main\n"), "42");
  for (const char* text : {"", "\n", "sbatch: error", "42x\n", "12345678901\n"}) EXPECT_EQ(parse_job_id(text), std::nullopt);
}

TEST(SlurmQueue, LinesInAnotherFormatAreLeftOut) {
  const auto jobs = parse_jobs("7|i-1|RUNNING|None\nslurm_load_jobs error\n8|a|b\n9|i-2|PENDING|Resources\n\n");
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs.at("7"), (SlurmJob{"i-1", "RUNNING", "None"}));
  EXPECT_EQ(jobs.at("9"), (SlurmJob{"i-2", "PENDING", "Resources"}));
}

TEST(SlurmQueue, StatesHavePhasesAndEndsHaveTexts) {
  EXPECT_EQ(phase_of("PENDING"), JobPhase::Waiting);
  EXPECT_EQ(phase_of("RUNNING"), JobPhase::Running);
  EXPECT_EQ(phase_of("COMPLETING"), JobPhase::Ending);
  EXPECT_EQ(phase_of("CANCELLED by 0"), JobPhase::Ended);
  EXPECT_EQ(phase_of("SOMETHING_NEW"), JobPhase::Running);
  EXPECT_EQ(end_text("42", {"i-1", "TIMEOUT", "TimeLimit"}), "Slurm job 42 reached its time limit (TimeLimit).");
  EXPECT_EQ(end_text("42", {"i-1", "NODE_FAIL", "None"}), "Slurm job 42 lost its node.");
  EXPECT_EQ(end_text("42", {}), "Slurm job 42 no longer exists.");
}

class SlurmProviderTest : public testing::Test {
 protected:
  SlurmProviderTest() {
    base::set_log_level(base::LogLevel::Off);
    std::filesystem::create_directories(folder_ + "/bin");
    std::filesystem::create_directories(machine_.folder = folder_ + "/i-1");
    script("sbatch", "echo \"$@\" >>" + folder_ + "/submitted; echo '42|i-1|PENDING|Resources' >" + folder_ +
                         "/queue; echo '42;main'");
    script("squeue", "cat " + folder_ + "/queue");
    script("scancel", "echo \"$1|i-1|CANCELLED by 0|None\" >" + folder_ + "/queue");
    set_queue("");
    ::setenv("PATH", (folder_ + "/bin:" + path_).c_str(), 1);
    machine_.instance.id = "i-1";
    machine_.instance.type = "g4dn.xlarge";
    machine_.type = *model::find_instance_type("g4dn.xlarge");
    machine_.record = {"slurm", "AKIA", "", 4, 16384, {}};
    machine_.token = "stk1.secret";
    settings_.program = "/opt/stoker";
    settings_.join = "http://server:4566";
    settings_.options = {"--partition=gpu"};
    settings_.poll = settings_.poll_soon = std::chrono::milliseconds(2);
  }
  ~SlurmProviderTest() override {
    ::setenv("PATH", path_.c_str(), 1);
    base::set_log_level(base::LogLevel::Info);
    std::filesystem::remove_all(folder_);
  }

  void script(const std::string& name, const std::string& text) {
    const std::string path = folder_ + "/bin/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    ::chmod(path.c_str(), 0755);
  }
  void set_queue(const std::string& text) { std::ofstream(folder_ + "/queue") << text; }
  std::string read(const std::string& name) {
    std::ifstream file(folder_ + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  template <class T>
  T await(boost::asio::awaitable<T> work) {
    return http::block_on(io_.at(0), std::move(work));
  }

  const std::string folder_ = testing::TempDir() + "slurm-" + base::random_uuid();
  const std::string path_ = std::getenv("PATH");
  http::IoThreads io_{1};
  SlurmSettings settings_;
  Machine machine_;
};

TEST_F(SlurmProviderTest, AMachineIsAJobWithTheResourcesOfItsType) {
  SlurmProvider provider(settings_);
  const auto started = await(provider.start(machine_));
  ASSERT_TRUE(started) << started.error();
  EXPECT_EQ(started->identity, "42");
  EXPECT_FALSE(started->running);
  const std::string options = read("submitted");
  EXPECT_THAT(options, HasSubstr("--job-name=i-1"));
  EXPECT_THAT(options, HasSubstr("--cpus-per-task=4 --mem=16384M --gres=gpu:1 --partition=gpu"));
  EXPECT_THAT(options, Not(HasSubstr("secret")));
  const std::string job = read("i-1/job.sh");
  EXPECT_THAT(job, HasSubstr("export STOKER_TOKEN=stk1.secret\n"));
  EXPECT_THAT(job, HasSubstr("exec /opt/stoker agent --join http://server:4566 --data \"$data\" --name i-1"));
  EXPECT_THAT(job, HasSubstr("gpus=auto#$SLURM_JOB_GPUS"));
  struct stat file;
  ASSERT_EQ(::stat((folder_ + "/i-1/job.sh").c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600u);
}

// The id is in Slurm's queue, so another user of the node may have been there first.
TEST_F(SlurmProviderTest, TheJobMakesAFolderThatNobodyElseHas) {
  settings_.program = folder_ + "/bin/agent";
  script("agent", "while [ \"$1\" != --data ]; do shift; done; echo \"$2\" >" + folder_ + "/data; ls -ld \"$2\" | cut -c1-10 >>" +
                      folder_ + "/data");
  std::filesystem::create_directories(folder_ + "/tmp/stoker-i-1");
  SlurmProvider provider(settings_);
  ASSERT_TRUE(await(provider.start(machine_)));
  ASSERT_EQ(std::system(("TMPDIR=" + folder_ + "/tmp sh " + folder_ + "/i-1/job.sh").c_str()), 0);
  EXPECT_THAT(read("data"), testing::MatchesRegex(folder_ + "/tmp/stoker-i-1\\.[A-Za-z0-9]+\ndrwx------\n"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_ + "/tmp/stoker-i-1"));
}

TEST_F(SlurmProviderTest, AnInterruptedStartFindsItsJob) {
  set_queue("7|i-other|RUNNING|None\n8|i-1|CANCELLED|None\n9|i-1|PENDING|Priority\n");
  SlurmProvider provider(settings_);
  EXPECT_EQ(await(provider.start(machine_))->identity, "9");
  EXPECT_EQ(read("submitted"), "");
}

TEST_F(SlurmProviderTest, ARejectedJobFailsWithSlurmsWords) {
  script("sbatch", "echo 'sbatch: error: invalid partition specified: gpu' >&2; exit 1");
  SlurmProvider provider(settings_);
  EXPECT_EQ(await(provider.start(machine_)).error(), "sbatch: error: invalid partition specified: gpu");
}

TEST_F(SlurmProviderTest, AJobThatSlurmAcceptedIsFoundAlthoughItsSubmissionFailed) {
  script("sbatch", "echo '42|i-1|PENDING|Resources' >" + folder_ + "/queue; echo 'Socket timed out' >&2; exit 1");
  SlurmProvider provider(settings_);
  const auto started = await(provider.start(machine_));
  ASSERT_TRUE(started) << started.error();
  EXPECT_EQ(started->identity, "42");
}

TEST_F(SlurmProviderTest, AReadingThatBeganBeforeAJobWasSubmittedDoesNotEndIt) {
  for (const char* fifo : {"/begun", "/go"}) ASSERT_EQ(::mkfifo((folder_ + fifo).c_str(), 0600), 0);
  // The first reading waits after it has read the queue.
  script("squeue", "cd " + folder_ + "; if mkdir first 2>/dev/null; then cat queue >old; echo >begun; cat go >/dev/null; "
                       "cat old; else cat queue; fi");
  set_queue("7|i-0|TIMEOUT|TimeLimit\n");
  settings_.poll_soon = std::chrono::hours(1);
  SlurmProvider provider(settings_);
  Machine other = machine_;
  other.instance.id = "i-0";
  other.record.identity = "7";
  auto earlier = boost::asio::co_spawn(io_.at(0), provider.watch(other), boost::asio::use_future);
  read("begun");  // returns once it has begun
  machine_.record.identity = await(provider.start(machine_))->identity;
  std::ofstream(folder_ + "/go") << "\n";
  EXPECT_EQ(earlier.get().reason, "Slurm job 7 reached its time limit (TimeLimit).");
  set_queue("42|i-1|RUNNING|None\n");
  EXPECT_EQ(await(provider.watch(machine_)).kind, MachineEvent::Kind::Running);
}

TEST_F(SlurmProviderTest, AWaitingJobRunsWhenSlurmHasStartedIt) {
  machine_.record.identity = "42";
  set_queue("42|i-1|RUNNING|None\n");
  SlurmProvider provider(settings_);
  EXPECT_EQ(await(provider.watch(machine_)).kind, MachineEvent::Kind::Running);
}

TEST_F(SlurmProviderTest, TheEndOfAJobHasItsReason) {
  machine_.record.identity = "42";
  machine_.instance.state = state::Ec2State::Running;
  set_queue("42|i-1|TIMEOUT|TimeLimit\n");
  SlurmProvider provider(settings_);
  const MachineEvent event = await(provider.watch(machine_));
  EXPECT_EQ(event.kind, MachineEvent::Kind::Ended);
  EXPECT_EQ(event.reason, "Slurm job 42 reached its time limit (TimeLimit).");
}

TEST_F(SlurmProviderTest, AStoppedMachineHasNoJobAnyMore) {
  set_queue("42|i-1|RUNNING|None\n");
  SlurmProvider provider(settings_);
  EXPECT_TRUE(await(provider.stop(machine_))) << "it is found by its name";
  EXPECT_EQ(read("queue"), "42|i-1|CANCELLED by 0|None\n");
  machine_.record.identity = "41";
  script("scancel", "echo 'Invalid job id specified' >&2; exit 1");
  EXPECT_TRUE(await(provider.stop(machine_))) << "a job that Slurm has forgotten";
}

TEST_F(SlurmProviderTest, AJobThatDoesNotEndIsAnError) {
  machine_.record.identity = "42";
  set_queue("42|i-1|COMPLETING|None\n");
  script("scancel", "true");
  // The time is also that of each command, which may need all of a short one.
  std::string error;
  settings_.timeout = std::chrono::milliseconds(300);
  for (; error.find("Slurm job 42 is still COMPLETING") == error.npos; settings_.timeout *= 4) {
    ASSERT_LT(settings_.timeout, std::chrono::minutes(1)) << error;
    SlurmProvider provider(settings_);
    error = await(provider.stop(machine_)).error();
  }
}

}  // namespace
}  // namespace control::providers
