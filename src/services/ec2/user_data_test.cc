// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/user_data.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace services::ec2 {
namespace {

std::string config(const std::string& user_data) { return written_agent_config(user_data); }

TEST(UserData, AScriptEchoesSettings) {
  EXPECT_EQ(config("#!/bin/bash\necho ECS_CLUSTER=a >> /etc/ecs/ecs.config\n"), "ECS_CLUSTER=a\n");
  EXPECT_EQ(config("#!/bin/bash\necho \"ECS_CLUSTER=a\" >>/etc/ecs/ecs.config;echo ECS_BACKEND_HOST= >> "
                   "/etc/ecs/ecs.config;"),
            "ECS_CLUSTER=a\nECS_BACKEND_HOST=\n");
  EXPECT_EQ(config("#!/bin/bash\nsudo sh -c 'echo ECS_CLUSTER=b > /etc/ecs/ecs.config' && start ecs"),
            "ECS_CLUSTER=b\n");
  EXPECT_EQ(config("#!/bin/bash\necho -e \"A=1\\nB=2\" | sudo tee -a /etc/ecs/ecs.config > /dev/null\n"), "A=1\nB=2\n");
  EXPECT_EQ(config("#!/bin/bash\nprintf 'ECS_CLUSTER=%s\\n' x >> /etc/ecs/ecs.config"), "ECS_CLUSTER=x\n");
  EXPECT_EQ(config("#!/bin/bash\nNAME=ml\necho ECS_CLUSTER=${NAME}-1 >> /etc/ecs/ecs.config"), "ECS_CLUSTER=ml-1\n");
  EXPECT_EQ(config("#!/bin/bash\n{ echo A=1; echo B=2; } >> /etc/ecs/ecs.config"), "A=1\nB=2\n");
  EXPECT_EQ(config("#!/bin/bash\necho A=1 >> /etc/ecs/ecs.config\necho B=2 > /etc/ecs/ecs.config"), "B=2\n");
  EXPECT_EQ(config("#!/bin/bash\n# echo A=1 >> /etc/ecs/ecs.config\necho B=2 >> /etc/other"), "");
}

TEST(UserData, AHereDocumentHasSettings) {
  EXPECT_EQ(config("#!/bin/bash\ncat <<'EOF' >> /etc/ecs/ecs.config\nECS_CLUSTER=a\nX={\"k\":\"$V\"}\nEOF\n"),
            "ECS_CLUSTER=a\nX={\"k\":\"$V\"}\n");
  EXPECT_EQ(config("#!/bin/bash\nC=z\ncat > /etc/ecs/ecs.config <<-END\n\tECS_CLUSTER=$C\n\tEND\necho done\n"),
            "ECS_CLUSTER=z\n");
  EXPECT_EQ(config("#!/bin/bash\ntee -a /etc/ecs/ecs.config <<EOF\nA=1\nEOF\n"), "A=1\n");
  EXPECT_EQ(config("#!/bin/bash\ncat > /etc/other <<EOF\necho A=1 >> /etc/ecs/ecs.config\nEOF\n"), "");
}

TEST(UserData, ACloudConfigWritesFilesAndRunsCommands) {
  EXPECT_EQ(config("#cloud-config\nwrite_files:\n  - path: /etc/ecs/ecs.config\n    permissions: '0644'\n    content: |\n"
                   "      ECS_CLUSTER=a\n      ECS_RESERVED_MEMORY=64\n  - path: /tmp/x\n    content: y\nruncmd:\n"
                   "  - echo A=1 >> /etc/ecs/ecs.config\n  - [ sh, -c, \"echo B=2 >> /etc/ecs/ecs.config\" ]\n"),
            "ECS_CLUSTER=a\nECS_RESERVED_MEMORY=64\nA=1\nB=2\n");
  EXPECT_EQ(config("#cloud-config\nbootcmd:\n- cloud-init-per once x sh -c nothing\n- echo 'C=3' >> /etc/ecs/ecs.config\n"),
            "C=3\n");
  EXPECT_EQ(config("#cloud-config\nwrite_files:\n- content: " + base::to_base64("A=1") +
                   "\n  encoding: b64\n  path: /etc/ecs/ecs.config\n"),
            "A=1\n");
}

TEST(UserData, AMimeMessageHasSeveralDocuments) {
  const std::string message =
      "Content-Type: multipart/mixed; boundary=\"==B==\"\nMIME-Version: 1.0\n\n--==B==\n"
      "Content-Type: text/cloud-boothook; charset=\"us-ascii\"\n\ncloud-init-per once x yum update\n"
      "--==B==\nContent-Type: text/x-shellscript\n\n#!/bin/bash\necho ECS_CLUSTER=m >> /etc/ecs/ecs.config\n"
      "--==B==\nContent-Type: text/cloud-config\nContent-Transfer-Encoding: base64\n\n" +
      base::to_base64("#cloud-config\nruncmd:\n - echo A=1 >> /etc/ecs/ecs.config\n") + "\n--==B==--\n";
  EXPECT_EQ(config(message), "ECS_CLUSTER=m\nA=1\n");
  EXPECT_EQ(config(base::to_base64(message)), "ECS_CLUSTER=m\nA=1\n");
}

TEST(UserData, SettingsOfTheAgentAreRead) {
  const auto settings = read_user_data(
      "#!/bin/bash\ncat <<'EOF' >> /etc/ecs/ecs.config\nECS_CLUSTER=first\nECS_CLUSTER=\"gpu\"\n"
      "ECS_INSTANCE_ATTRIBUTES={\"purpose\":\"batch\"}\nECS_CONTAINER_INSTANCE_TAGS={\"team\":\"ml\"}\n"
      "ECS_RESERVED_MEMORY=256\nECS_CONTAINER_STOP_TIMEOUT=1m30s\nECS_ENGINE_TASK_CLEANUP_WAIT_DURATION=soon\n"
      "ECS_IMAGE_PULL_BEHAVIOR=once\nECS_LOGLEVEL=debug\nEOF\n"
      "echo OPTIONS=\"--default-ulimit nofile=32768:65536 --default-runtime nvidia\" | tee -a /etc/sysconfig/docker\n");
  EXPECT_EQ(settings.cluster, "gpu");
  EXPECT_EQ(settings.attributes, (std::map<std::string, std::string>{{"purpose", "batch"}}));
  EXPECT_EQ(settings.tags, (std::map<std::string, std::string>{{"team", "ml"}}));
  EXPECT_EQ(settings.reservedMemoryMib, 256);
  EXPECT_EQ(settings.stopTimeout, "1m30s");
  EXPECT_EQ(settings.cleanupWait, std::nullopt);
  EXPECT_EQ(settings.imagePull, "once");
  EXPECT_TRUE(settings.gpuDefaultRuntime);
}

TEST(UserData, AnUnknownPullBehaviorIsTheDefaultAsOnAmazonsImage) {
  const auto settings = read_user_data("#!/bin/bash\necho ECS_IMAGE_PULL_BEHAVIOR=never >> /etc/ecs/ecs.config\n");
  EXPECT_EQ(settings.imagePull, std::nullopt);
}

TEST(UserData, WithoutSettingsTheAgentJoinsTheDefaultCluster) {
  for (const char* text : {"", "hello", "#!/bin/bash\n", "#cloud-config\n", "Content-Type: multipart/mixed\n\n"}) {
    EXPECT_EQ(read_user_data(text).cluster, "default") << text;
  }
}

TEST(UserData, VariablesInVariablesDoNotGrowWithoutEnd) {
  std::string script = "#!/bin/bash\nA=xxxxxxxxxxxxxxxx\n";
  for (int i = 0; i < 200; ++i) script += "A=$A$A\n";
  for (int i = 0; i < 300; ++i) script += "bash -c \"$A$A$A$A\"\n";
  config(script);
}

}  // namespace
}  // namespace services::ec2
