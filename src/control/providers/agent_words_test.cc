// SPDX-License-Identifier: Apache-2.0
#include "control/providers/agent_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace control::providers {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Machine machine_of(const std::string& settings) {
  Machine machine;
  machine.instance.id = "i-1";
  machine.instance.type = "g4dn.xlarge";
  machine.instance.region = "eu-west-1";
  machine.instance.zone = "eu-west-1b";
  machine.instance.agent_json = settings;
  machine.record.vcpus = 4;
  machine.record.memoryMib = 16384;
  return machine;
}

TEST(AgentWords, TheAgentHasTheSizeAndTheNameOfItsInstance) {
  const std::string text =
      shell_text(agent_words(machine_of(""), {.join = "http://127.0.0.1:4566", .data = "/d/i-1/agent", .gpus = "none"}));
  EXPECT_THAT(text, HasSubstr("agent --join http://127.0.0.1:4566 --data /d/i-1/agent --name i-1 --cluster default "
                              "--region eu-west-1 --instance-type g4dn.xlarge --availability-zone eu-west-1b "
                              "--cpu 4096 --memory 16384"));
  EXPECT_THAT(text, HasSubstr("--ephemeral"));
  EXPECT_THAT(text, Not(HasSubstr("token")));
}

TEST(AgentWords, UserDataSettingsBecomeOptions) {
  const auto words = agent_words(
      machine_of(R"({"cluster":"gpu","attributes":{"rack":"7"},"tags":{"team":"a b"},"reservedMemoryMib":384,)"
                 R"("stopTimeout":"1m30s","cleanupWait":"10m","imagePull":"once","gpuDefaultRuntime":true})"),
      {});
  const std::string text = shell_text(words);
  EXPECT_THAT(text, HasSubstr("--cluster gpu"));
  EXPECT_THAT(text, HasSubstr("--memory 16000"));
  EXPECT_THAT(text, HasSubstr("--gpu-default-runtime --stop-timeout 90s --keep-stopped 600s --image-pull once --attribute rack=7"));
  EXPECT_THAT(text, HasSubstr("--tag 'team=a b'"));
}

TEST(AgentWords, AnInvalidDurationIsTheDefaultAsOnAmazonsImage) {
  EXPECT_THAT(agent_words(machine_of(R"({"stopTimeout":"soon"})"), {}), Not(Contains("--stop-timeout")));
}

TEST(AgentDuration, IsGos) {
  using std::chrono::seconds;
  EXPECT_EQ(parse_agent_duration("30s"), seconds(30));
  EXPECT_EQ(parse_agent_duration("1h30m"), seconds(5400));
  EXPECT_EQ(parse_agent_duration("1.5h"), seconds(5400));
  EXPECT_EQ(parse_agent_duration("1500ms"), seconds(1));
  for (const char* text : {"", "s", "3", "3d", "-3s", "0s", "500ms", "1h1", "999999999h", "nans"}) {
    EXPECT_EQ(parse_agent_duration(text), std::nullopt) << text;
  }
}

TEST(ShellText, QuotesWhatAShellWouldInterpret) {
  EXPECT_EQ(shell_text({"a", "", "b c", "it's", "$x"}), R"(a '' 'b c' 'it'\''s' '$x')");
}

TEST(MachineRecord, SurvivesItsRow) {
  const MachineRecord record{"local", "AKIA", "17 3 boot", 4, 1024, {"GPU-a"}};
  EXPECT_EQ(read_record(write_record(record)), record);
  EXPECT_EQ(read_record("{}"), MachineRecord());
  EXPECT_EQ(read_record(""), MachineRecord());
}

}  // namespace
}  // namespace control::providers
