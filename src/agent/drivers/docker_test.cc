// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker.h"

#include <gmock/gmock.h>

#include <fstream>

#include "agent/drivers/docker_fixture.h"

namespace agent::drivers {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Docker, WithoutAnEngineTheErrorNamesTheSocket) {
  http::IoThreads io(1);
  DockerOptions options;
  options.socket = "/nowhere/docker.sock";
  auto opened = open_docker(io, options);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error(), HasSubstr("no Docker engine responds at /nowhere/docker.sock"));
}

TEST_F(DockerTest, RunsAContainerToItsEnd) {
  ContainerSpec spec = shell("main", "echo out; echo err >&2; exit 42");
  auto pulled = run(driver_->pull(spec.container.image, [](const PullProgress&) {}));
  ASSERT_TRUE(pulled) << pulled.error();
  EXPECT_THAT(pulled->id, StartsWith("sha256:"));
  const std::string id = start(spec);
  EXPECT_GT(base::to_millis(started_.at), 0);
  const Exit exit = wait(id);
  EXPECT_EQ(exit.code, 42);
  EXPECT_FALSE(exit.out_of_memory);
  EXPECT_GE(exit.at, started_.at);
  EXPECT_THAT(output(spec), HasSubstr("out\n"));
  EXPECT_THAT(output(spec), HasSubstr("err\n"));
  EXPECT_EQ(wait(id).code, 42);
}

TEST_F(DockerTest, CommandEntryPointAndEnvironmentArePassedOn) {
  ContainerSpec spec = shell("main", "");
  spec.container.entryPoint = {{"/bin/sh", "-c", "echo \"$0|$1|$GREETING|$FROM_BASE|$PWD\""}};
  spec.container.command = {{"one", "two words"}};
  spec.container.environment["GREETING"] = "a=b \"c\"";
  spec.container.dockerConfig.config = R"({"Env":["FROM_BASE=yes","GREETING=lost"],"WorkingDir":"/home"})";
  EXPECT_EQ(run_to_end(spec), "one|two words|a=b \"c\"|yes|/home\n");
}

TEST_F(DockerTest, AMissingImageCannotBePulled) {
  auto pulled = run(driver_->pull("127.0.0.1:1/not/there:v1", [](const PullProgress&) {}));
  ASSERT_FALSE(pulled);
  EXPECT_THAT(pulled.error(), StartsWith("CannotPullContainerError: "));
  EXPECT_THAT(pulled.error(), HasSubstr("127.0.0.1:1"));
  ContainerSpec spec = shell("main", "true");
  spec.container.image = "not-there:v1";
  auto created = run(driver_->create(spec));
  ASSERT_FALSE(created);
  EXPECT_THAT(created.error(), StartsWith("CannotCreateContainerError: "));
  EXPECT_THAT(created.error(), HasSubstr("No such image: not-there:v1"));
}

TEST_F(DockerTest, AMissingCommandCannotBeStarted) {
  ContainerSpec spec = shell("main", "");
  spec.container.command = {{"/no/such/program"}};
  const std::string id = create(spec);
  auto started = run(driver_->start(id));
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error(), StartsWith("CannotStartContainerError: "));
  EXPECT_THAT(started.error(), HasSubstr("/no/such/program"));
  const Exit exit = wait(id);
  EXPECT_NE(exit.code, 0);
  EXPECT_THAT(exit.error, HasSubstr("/no/such/program"));
}

TEST_F(DockerTest, OutOfMemoryIsReported) {
  // With cgroups of version 1 the engine watches for kills only when it has started the container.
  ContainerSpec spec = shell("main", "trap 'exec dd if=/dev/zero of=/dev/null bs=200M count=1' TERM; echo up; "
                                     "while true; do sleep 0.05; done");
  spec.container.memory = 16;
  spec.container.dockerConfig.hostConfig = R"({"MemorySwap":16777216})";
  const std::string id = start(spec);
  ASSERT_TRUE(eventually([&] { return output(spec) == "up\n"; }));
  ASSERT_TRUE(run(driver_->stop(id, 60s)));
  const Exit exit = wait(id);
  EXPECT_TRUE(exit.out_of_memory);
  EXPECT_EQ(exit.code, 137);
}

TEST_F(DockerTest, StopSendsTheSignalAndThenKills) {
  ContainerSpec polite = shell("polite", "trap 'echo bye; exit 3' TERM; echo up; while true; do sleep 0.05; done");
  ContainerSpec deaf = shell("deaf", "trap '' TERM; echo up; while true; do sleep 0.05; done");
  const std::string polite_id = start(polite);
  const std::string deaf_id = start(deaf);
  ASSERT_TRUE(eventually([&] { return output(polite) == "up\n" && output(deaf) == "up\n"; }));
  ASSERT_TRUE(run(driver_->stop(polite_id, 30s)));
  ASSERT_TRUE(run(driver_->stop(deaf_id, 1s)));
  EXPECT_EQ(wait(polite_id).code, 3);
  EXPECT_EQ(output(polite), "up\nbye\n");
  EXPECT_EQ(wait(deaf_id).code, 137);
  EXPECT_TRUE(run(driver_->stop(deaf_id, 1s)));
}

TEST_F(DockerTest, AMissingContainerCanBeRemovedButNotWaitedFor) {
  EXPECT_TRUE(run(driver_->remove("not-there")));
  EXPECT_TRUE(run(driver_->stop("not-there", 1s)));
  EXPECT_FALSE(run(driver_->wait("not-there")));
  EXPECT_FALSE(run(driver_->usage("not-there")));
  EXPECT_TRUE(run(driver_->clean_up(task_.arn)));
}

TEST_F(DockerTest, HealthChangesAreReported) {
  ContainerSpec spec = shared_shell("main", "while true; do sleep 0.1; done");
  spec.container.dockerConfig.config =
      R"({"Healthcheck":{"Test":["CMD-SHELL","test ! -d /shared/sick"],"Interval":1000000000,"Retries":1}})";
  std::filesystem::create_directory(folder_ / "sick");
  const std::string id = start(spec);
  auto first = run(driver_->health(id, "UNKNOWN"));
  ASSERT_TRUE(first) << first.error();
  EXPECT_EQ(*first, "UNHEALTHY");
  std::filesystem::remove(folder_ / "sick");
  auto second = run(driver_->health(id, "UNHEALTHY"));
  ASSERT_TRUE(second) << second.error();
  EXPECT_EQ(*second, "HEALTHY");
  ASSERT_TRUE(run(driver_->remove(id)));
  EXPECT_FALSE(run(driver_->health(id, "HEALTHY")));
}

TEST_F(DockerTest, UsageIsMeasured) {
  const std::string id = start(shell("main", "x=0; while true; do x=$((x+1)); done"));
  auto first = run(driver_->usage(id));
  ASSERT_TRUE(first) << first.error();
  EXPECT_GT(first->memory_bytes, 0);
  // One core at most; a busy machine may give it less, or let a sample take too long.
  ASSERT_TRUE(eventually([&] {
    auto next = run(driver_->usage(id));
    return next && next->cpu_percent > 1 && next->cpu_percent < 250;
  }));
}

TEST_F(DockerTest, ARestartedAgentFindsItsContainers) {
  ContainerSpec running = shared_shell("running", "echo up; while ! test -d /shared/go; do sleep 0.05; done; exit 5");
  const std::string running_id = start(running);
  const std::string created_id = create(shell("created", "true"));
  const std::string ended_id = start(shell("ended", "exit 4"));
  wait(ended_id);
  reopen();
  auto found = run(driver_->list());
  ASSERT_TRUE(found) << found.error();
  std::map<std::string, Found> by_id;
  for (const Found& one : *found) by_id[one.id] = one;
  ASSERT_EQ(by_id.size(), 3u);
  EXPECT_EQ(by_id[running_id].phase, Phase::Running);
  EXPECT_EQ(by_id[running_id].container, "running");
  EXPECT_EQ(by_id[running_id].task_arn, task_.arn);
  EXPECT_EQ(by_id[created_id].phase, Phase::Created);
  EXPECT_EQ(by_id[ended_id].phase, Phase::Exited);
  EXPECT_EQ(wait(ended_id).code, 4);
  EXPECT_TRUE(run(driver_->start(running_id)));
  std::filesystem::create_directory(folder_ / "go");
  EXPECT_EQ(wait(running_id).code, 5);
  EXPECT_EQ(output(running), "up\n");
}

TEST_F(DockerTest, SimulatedGpusAreVisibleInAContainer) {
  const std::filesystem::path data = folder_ / "gpus";
  std::filesystem::create_directories(data);
  std::ofstream(data / "list") << "two V100\n";
  std::ofstream(folder_ / "nvidia-smi") << "#!/bin/sh\ncat " << data.string() << "/list\n";
  std::filesystem::permissions(folder_ / "nvidia-smi", std::filesystem::perms(0755));
  options_.simulated_gpus = true;
  options_.nvidia_smi_path = (folder_ / "nvidia-smi").string();
  options_.nvidia_smi_folder = data.string();
  reopen();
  ContainerSpec spec = shell("main", "nvidia-smi; echo $NVIDIA_VISIBLE_DEVICES");
  spec.gpus = {{.id = "GPU-a"}, {.id = "GPU-b"}};
  EXPECT_EQ(run_to_end(spec), "two V100\nGPU-a,GPU-b\n");
  EXPECT_EQ(run_to_end(shell("other", "which nvidia-smi || echo $NVIDIA_VISIBLE_DEVICES")), "void\n");
}

TEST_F(DockerTest, AbilitiesListTheAttributesOfTheEngine) {
  const Abilities& abilities = driver_->abilities();
  EXPECT_EQ(abilities.name, "docker");
  EXPECT_NE(abilities.version, "");
  for (std::string name :
       {"com.amazonaws.ecs.capability.docker-remote-api.1.17", "com.amazonaws.ecs.capability.docker-remote-api.1.29",
        "com.amazonaws.ecs.capability.logging-driver.json-file", "com.amazonaws.ecs.capability.logging-driver.awslogs",
        "com.amazonaws.ecs.capability.privileged-container", "ecs.capability.container-ordering",
        "ecs.capability.docker-plugin.local", "ecs.capability.task-eni"}) {
    EXPECT_THAT(abilities.attributes, Contains(name)) << name;
  }
}

}  // namespace
}  // namespace agent::drivers
