// SPDX-License-Identifier: Apache-2.0
// The providers with scripts in place of an agent, a cloud and Slurm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/log.h"
#include "base/random.h"
#include "control/providers/child_process.h"
#include "control/providers/command_provider.h"
#include "control/providers/local_provider.h"
#include "control/providers/process_identity.h"
#include "http/block_on.h"
#include "http/io_threads.h"

namespace control::providers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::chrono::seconds kDeadline{60};

class Commands : public testing::Test {
 protected:
  Commands() {
    base::set_log_level(base::LogLevel::Off);
    machine_.instance.id = "i-1";
    machine_.instance.type = "g4dn.xlarge";
    machine_.instance.region = "eu-west-1";
    machine_.record = {"local", "AKIA", "", 4, 16384, {"GPU-a", "GPU-b"}};
    machine_.folder = folder_ + "/i-1";
    machine_.token = "stk1.x";
    std::filesystem::create_directories(machine_.folder);
  }
  ~Commands() override {
    base::set_log_level(base::LogLevel::Info);
    std::filesystem::remove_all(folder_);
  }

  std::string script(const std::string& text) {
    const std::string path = folder_ + "/script-" + base::random_uuid();
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    ::chmod(path.c_str(), 0755);
    return path;
  }
  std::string read(const std::string& name) {
    std::ifstream file(machine_.folder + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  template <class T>
  T await(boost::asio::awaitable<T> work) {
    return http::block_on(io_.at(0), std::move(work));
  }

  const std::string folder_ = testing::TempDir() + "commands-" + base::random_uuid();
  http::IoThreads io_{1};
  Machine machine_;
};

TEST_F(Commands, AnEndedCommandHasAStatusAndItsOutputs) {
  Command command{.words = {"/bin/sh", "-c", "echo out $X; echo error >&2; exit 3"}, .environment = {{"X", "y"}}};
  const auto finished = await(run_command(command, kDeadline));
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->status, 3);
  EXPECT_EQ(finished->output, "out y\n");
  EXPECT_EQ(finished->error, "error\n");
}

TEST_F(Commands, ACommandThatDoesNotEndIsKilledWithItsChildren) {
  Command command{.words = {"/bin/sh", "-c", "sleep 1000 & echo $! >" + folder_ + "/pid; echo began >&2; wait"}};
  // The start of the shell may need all of a short time.
  std::string error;
  for (base::Duration limit = std::chrono::milliseconds(300); error.find("began") == error.npos; limit *= 4) {
    ASSERT_LT(limit, kDeadline) << error;
    const auto finished = await(run_command(command, limit));
    ASSERT_FALSE(finished);
    error = finished.error();
  }
  EXPECT_THAT(error, HasSubstr("did not end in time and was killed: began"));
  pid_t child = 0;
  std::ifstream(folder_ + "/pid") >> child;
  if (const auto left = identify(child)) {
    EXPECT_TRUE(await(wait_for_end(*left, kDeadline)));
  }
}

TEST_F(Commands, ACommandThatWritesTooMuchFailsToWriteMore) {
  Command command{.words = {"/bin/sh", "-c", "head -c 3000000 /dev/zero"}};
  const auto finished = await(run_command(command, kDeadline));
  ASSERT_TRUE(finished);
  EXPECT_NE(finished->status, 0);
  EXPECT_LE(finished->output.size(), kMaxOutput);
}

TEST_F(Commands, SecretsOfTheServerAreNotPassedOn) {
  ::setenv("STOKER_OBJECTS_SECRET_ACCESS_KEY", "hidden", 1);
  Command command{.words = {"/bin/sh", "-c", "echo [$STOKER_OBJECTS_SECRET_ACCESS_KEY]"}};
  EXPECT_EQ(await(run_command(command, kDeadline))->output, "[]\n");
  ::unsetenv("STOKER_OBJECTS_SECRET_ACCESS_KEY");
}

TEST_F(Commands, TheLastLinesOfATextAreOneLine) {
  EXPECT_EQ(last_lines("1\n2\n3\n4\n\n5\n6\r\n"), "2; 3; 4; 5; 6");
  EXPECT_EQ(last_lines(""), "");
  EXPECT_EQ(last_lines("abcdef", 3), "...def");
}

TEST_F(Commands, AProcessIsItselfOnlyWithItsStart) {
  const auto own = identify(::getpid());
  ASSERT_TRUE(own);
  EXPECT_TRUE(is_alive(*own));
  EXPECT_EQ(parse_identity(text(*own)), own);
  ProcessIdentity other = *own;
  ++other.start_ticks;
  EXPECT_FALSE(is_alive(other));
  EXPECT_TRUE(await(wait_for_end(other, std::nullopt))) << "another process has its id now";
  EXPECT_EQ(parse_identity("1 2 boot"), std::nullopt);
  EXPECT_EQ(parse_identity("x"), std::nullopt);
}

class LocalProviderTest : public Commands {
 protected:
  // Stands in for `stoker agent`: it keeps its arguments, makes its data folder and ends on SIGTERM.
  static constexpr const char* kAgent = R"sh(
for word in "$@"; do
  [ "$last" = --data ] && data=$word
  [ "$word" = --clean-up ] && { echo cleaned >"$data/../cleaned"; rm -r "$data"; exit 0; }
  last=$word
done
mkdir -p "$data"
echo "$@" >"$data/../arguments"
trap 'rm -r "$data"; exit 0' TERM
echo ready >"$data/../ready"
while :; do sleep 0.05; done)sh";

  LocalSettings settings(const std::string& agent) {
    LocalSettings settings;
    settings.program = script(agent);
    settings.join = "http://127.0.0.1:1";
    settings.gpu_source = "fake:4xV100@pool";
    settings.driver = "process";
    settings.shutdown_timeout = std::chrono::seconds(1);
    return settings;
  }
  void until_exists(const std::string& name) {
    while (!std::filesystem::exists(machine_.folder + "/" + name)) await(pause());
  }
  static boost::asio::awaitable<int> pause() {
    co_await sleep_for(std::chrono::milliseconds(5));
    co_return 0;
  }
};

TEST_F(LocalProviderTest, AnAgentRunsWithItsSliceAndEndsOnRequest) {
  LocalProvider provider(settings(kAgent));
  const auto started = await(provider.start(machine_));
  ASSERT_TRUE(started);
  until_exists("ready");
  EXPECT_THAT(read("arguments"), HasSubstr("--gpus fake:4xV100@pool#GPU-a,GPU-b"));
  EXPECT_THAT(read("arguments"), HasSubstr("--token-file " + machine_.folder + "/token"));
  machine_.record.identity = started->identity;
  EXPECT_TRUE(await(provider.stop(machine_)));
  EXPECT_FALSE(is_alive(*parse_identity(started->identity)));
  EXPECT_EQ(read("cleaned"), "") << "the agent has cleaned up itself";
  EXPECT_TRUE(await(provider.stop(machine_))) << "also when it is gone";
}

TEST_F(LocalProviderTest, AnAgentThatWasStartedButNotRecordedIsAdopted) {
  LocalProvider provider(settings(kAgent));
  const auto started = await(provider.start(machine_));
  ASSERT_TRUE(started);
  until_exists("ready");
  const auto again = await(provider.start(machine_));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->identity, started->identity);
  EXPECT_TRUE(await(provider.stop(machine_))) << "it is found without its identity as well";
  EXPECT_FALSE(is_alive(*parse_identity(started->identity)));
}

TEST_F(LocalProviderTest, AnAgentThatEndsIsReportedWithItsLastLines) {
  LocalProvider provider(settings("echo no server >&2; exit 7"));
  const auto started = await(provider.start(machine_));
  ASSERT_TRUE(started);
  machine_.record.identity = started->identity;
  const MachineEvent event = await(provider.watch(machine_));
  EXPECT_EQ(event.kind, MachineEvent::Kind::Ended);
  EXPECT_THAT(event.reason, HasSubstr("The agent of i-1 ended"));
  EXPECT_THAT(event.reason, HasSubstr("no server"));
}

TEST_F(LocalProviderTest, TheTasksOfAKilledAgentAreCleanedUp) {
  LocalProvider provider(settings(kAgent));
  const auto started = await(provider.start(machine_));
  ASSERT_TRUE(started);
  machine_.record.identity = started->identity;
  until_exists("ready");
  send_signal(*parse_identity(started->identity), SIGKILL);
  EXPECT_THAT(await(provider.watch(machine_)).reason, HasSubstr("ended with status 137"));
  EXPECT_TRUE(await(provider.stop(machine_)));
  EXPECT_EQ(read("cleaned"), "cleaned\n");
  EXPECT_FALSE(std::filesystem::exists(machine_.folder + "/agent"));
}

TEST_F(LocalProviderTest, AMissingProgramIsAnError) {
  LocalSettings missing = settings("");
  missing.program = "/no/such/program";
  LocalProvider provider(missing);
  EXPECT_EQ(await(provider.start(machine_)).error(), "/no/such/program was not found");
}

CommandSettings scripts(const std::string& start, const std::string& stop, const std::string& status = "") {
  CommandSettings settings;
  settings.start = start;
  settings.stop = stop;
  settings.status = status;
  settings.join = "http://server:4566";
  settings.retry = settings.status_every = std::chrono::milliseconds(5);
  return settings;
}

TEST_F(Commands, TheFirstLineOfTheStartCommandIsTheMachine) {
  machine_.user_data = "#!/bin/bash\n";
  CommandProvider provider(scripts("env >" + machine_.folder + "/env; echo vm-$STOKER_INSTANCE_ID; echo more", "true"));
  const auto started = await(provider.start(machine_));
  ASSERT_TRUE(started) << started.error();
  EXPECT_EQ(started->identity, "vm-i-1");
  const std::string variables = read("env");
  for (const std::string line : {"STOKER_INSTANCE_TYPE=g4dn.xlarge", "STOKER_VCPUS=4", "STOKER_MEMORY_MIB=16384",
                                 "STOKER_REGION=eu-west-1", "STOKER_CLUSTER=default", "STOKER_JOIN=http://server:4566"}) {
    EXPECT_THAT(variables, HasSubstr(line + "\n"));
  }
  EXPECT_THAT(variables, HasSubstr("STOKER_TOKEN_FILE=" + machine_.folder + "/token\n"));
  EXPECT_THAT(variables, HasSubstr("STOKER_USER_DATA_FILE=" + machine_.folder + "/user-data\n"));
  EXPECT_EQ(read("user-data"), "#!/bin/bash\n");
  EXPECT_THAT(variables, HasSubstr("STOKER_AGENT_COMMAND=stoker agent --join http://server:4566"));
}

TEST_F(Commands, AStartIsTriedThreeTimesAndFailsWithTheLastLinesOfItsErrors) {
  CommandProvider provider(scripts("echo x >>" + machine_.folder + "/tries; echo quota exceeded >&2; exit 4", "true"));
  const auto started = await(provider.start(machine_));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error(), "The start command ended with status 4: quota exceeded");
  EXPECT_EQ(read("tries"), "x\nx\nx\n");
}

TEST_F(Commands, AStartWithoutAnIdentityFails) {
  CommandProvider provider(scripts("true", "true"));
  EXPECT_EQ(await(provider.start(machine_)).error(),
            "The start command printed no identity of its machine in its first line.");
}

TEST_F(Commands, TheStopCommandGetsTheMachine) {
  CommandProvider provider(scripts("true", "echo $STOKER_MACHINE >" + machine_.folder + "/stopped"));
  machine_.record.identity = "vm-7";
  EXPECT_TRUE(await(provider.stop(machine_)));
  EXPECT_EQ(read("stopped"), "vm-7\n");
  CommandProvider broken(scripts("true", "echo busy >&2; exit 1"));
  EXPECT_EQ(await(broken.stop(machine_)).error(), "The stop command ended with status 1: busy");
}

TEST_F(Commands, AMachineIsGoneWhenTheStatusCommandEndsWithThree) {
  const std::string count = machine_.folder + "/count";
  CommandProvider provider(scripts("true", "true", "echo x >>" + count + "; case $(wc -l <" + count +
                                                       ") in 1) exit 0;; 2) exit 1;; esac; echo deleted; exit 3"));
  machine_.record.identity = "vm-7";
  EXPECT_EQ(await(provider.watch(machine_)).reason, "The machine vm-7 is gone: deleted");
  EXPECT_EQ(read("count"), "x\nx\nx\n");
}

}  // namespace
}  // namespace control::providers
