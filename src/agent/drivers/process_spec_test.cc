// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/process_spec.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent/drivers/process_fixture.h"

namespace agent::drivers {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::Pair;

class ProcessSpec : public ProcessFixture {
 protected:
  std::string create_error(const ContainerSpec& container) {
    const auto id = run(driver_->create(container));
    return id ? "" : id.error();
  }
  std::string create_error(const std::string& config, const std::string& host_config) {
    ContainerSpec container = shell("true");
    container.container.dockerConfig = {"1.24", config, host_config};
    return create_error(container);
  }
};

std::map<std::string, std::string> environment(const ContainerSpec& container, const ProcessOptions& options = {}) {
  return process_environment(container, options, TaskAccount{.user = {}, .home = "/home/me"});
}

gpu::Gpu gpu_named(const std::string& id) { return {.id = id}; }

TEST_F(ProcessSpec, AProcessGetsItsEnvironmentAndNothingOfTheAgents) {
  ::setenv("AGENT_SECRET", "secret", 1);
  ContainerSpec container = spec({"/usr/bin/env"});
  container.container.environment = {{"A", "b c"}, {"EMPTY", ""}, {"PATH", "/bin"}, {"HOME", "/h"}};
  EXPECT_EQ(run_to_end(container).code, 0);
  EXPECT_EQ(output(), "A=b c\nCUDA_VISIBLE_DEVICES=\nEMPTY=\nHOME=/h\nNVIDIA_VISIBLE_DEVICES=void\nPATH=/bin\n");
}

TEST_F(ProcessSpec, TheWorkersNameBecomesThePathOfItsCopyOrTheAgentsOwnProgram) {
  WorkerPrograms programs{.stoker = "/opt/stoker", .worker = "/opt/stoker-work"};
  using Words = std::vector<std::string>;
  EXPECT_EQ(worker_command({"/stoker/stoker-work", "--queue", "q"}, programs),
            (Words{"/opt/stoker-work", "--queue", "q"}));
  EXPECT_EQ(worker_command({"/bin/true"}, programs), Words{"/bin/true"});
  programs.worker = "";
  EXPECT_EQ(worker_command({"/stoker/stoker-work", "--queue", "q"}, programs),
            (Words{"/opt/stoker", "work", "--queue", "q"}));
}

TEST_F(ProcessSpec, OnlyProcessesWithTheWorkersLabelKnowTheWorker) {
  ProcessOptions options;
  options.programs = {.stoker = "/opt/stoker", .worker = "/opt/stoker-work", .machine = "box-a"};
  ContainerSpec container = shell("true");
  EXPECT_THAT(environment(container, options), Not(Contains(Key("STOKER_WORK"))));
  container.container.dockerConfig.config = R"({"Labels":{"stoker.worker":"1"}})";
  EXPECT_THAT(environment(container, options), Contains(Pair("STOKER_WORK", "/opt/stoker-work")));
  EXPECT_THAT(environment(container, options), Contains(Pair("STOKER_MACHINE", "box-a")));
}

TEST_F(ProcessSpec, TheToolFolderIsFirstInPath) {
  ProcessOptions options;
  options.tool_folder = "/tools";
  EXPECT_THAT(environment(shell("true"), options)["PATH"], testing::StartsWith("/tools:/usr/local/sbin:"));
}

TEST_F(ProcessSpec, AProcessSeesOnlyItsGpus) {
  ContainerSpec container = shell("true");
  container.container.environment["NVIDIA_VISIBLE_DEVICES"] = "all";
  EXPECT_THAT(environment(container), Contains(Pair("NVIDIA_VISIBLE_DEVICES", "void")));
  EXPECT_THAT(environment(container), Contains(Pair("CUDA_VISIBLE_DEVICES", "")));
  container.gpus = {gpu_named("GPU-b"), gpu_named("GPU-a")};
  EXPECT_THAT(environment(container), Contains(Pair("NVIDIA_VISIBLE_DEVICES", "GPU-b,GPU-a")));
  EXPECT_THAT(environment(container), Contains(Pair("CUDA_VISIBLE_DEVICES", "GPU-b,GPU-a")));
  container.gpus.clear();
  container.all_gpus = true;
  EXPECT_THAT(environment(container), Contains(Pair("NVIDIA_VISIBLE_DEVICES", "all")));
  EXPECT_THAT(environment(container), Not(Contains(Key("CUDA_VISIBLE_DEVICES"))));
}

TEST_F(ProcessSpec, AGpuShareSetsTheMpsVariables) {
  ContainerSpec container = shell("true");
  container.gpus = {gpu_named("GPU-a"), gpu_named("GPU-b")};
  container.shares = {{"main", "GPU-b", 2048, 50}, {"other", "GPU-a", 1, 1}};
  ProcessOptions options;
  options.mps_pipe_folder = "/mps/pipe";
  options.mps_log_folder = "/mps/log";
  const auto variables = environment(container, options);
  EXPECT_THAT(variables, Contains(Pair("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "1=2048M")));
  EXPECT_THAT(variables, Contains(Pair("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "50")));
  EXPECT_THAT(variables, Contains(Pair("CUDA_MPS_PIPE_DIRECTORY", "/mps/pipe")));
  EXPECT_THAT(variables, Contains(Pair("CUDA_MPS_LOG_DIRECTORY", "/mps/log")));
}

TEST_F(ProcessSpec, UnsupportedSettingsAreRejectedByName) {
  ContainerSpec mounts = shell("true");
  mounts.container.mountPoints = {{"data", "/data", false}};
  EXPECT_EQ(create_error(mounts),
            "CannotCreateContainerError: the process driver does not support mounts: container 'main' mounts '/data'");
  ContainerSpec links = shell("true");
  links.container.links = {"db"};
  EXPECT_THAT(create_error(links), HasSubstr("not support links: container 'main' links to 'db'"));
  ContainerSpec ports = shell("true");
  ports.container.portMappings = {{.containerPort = 80, .hostPort = 8080}};
  EXPECT_THAT(create_error(ports), HasSubstr("does not map ports: container 'main' listens on 80, not on 8080"));
  ContainerSpec network = shell("true");
  network.task.networkMode = "awsvpc";
  EXPECT_THAT(create_error(network), HasSubstr("does not support networkMode awsvpc"));
  EXPECT_THAT(create_error("{}", R"({"ReadonlyRootfs": true})"),
              HasSubstr("does not support hostConfig ReadonlyRootfs"));
  EXPECT_THAT(create_error("{}", R"({"ShmSize": 1125899906842624})"), HasSubstr("ShmSize larger than the machine's"));
  EXPECT_THAT(create_error(R"({"Tty": true})", "{}"), HasSubstr("does not support config Tty"));
  EXPECT_THAT(create_error("[", "{}"), HasSubstr("config is not a JSON object"));
  EXPECT_THAT(create_error(R"({"User": "no-such-user"})", "{}"), HasSubstr("unable to find user no-such-user"));
  EXPECT_THAT(create_error("{}", R"({"Ulimits": [{"Name": "wings"}]})"), HasSubstr("invalid ulimit type: wings"));
}

TEST_F(ProcessSpec, UnsetSettingsAreAccepted) {
  EXPECT_EQ(create_error(R"({"Tty": false, "Hostname": "", "Labels": {"a": "b"}})",
                         R"({"ReadonlyRootfs": false, "CapAdd": [], "Dns": null, "LogConfig": {"Type": "awslogs"}})"),
            "");
}

TEST_F(ProcessSpec, PortsAreBoundOnTheHost) {
  ContainerSpec ports = shell("sleep 1000");
  ports.container.portMappings = {{.containerPort = 80}, {.containerPort = 53, .hostPort = 53, .protocol = "udp"}};
  const auto started = run(driver_->start(create(ports)));
  ASSERT_TRUE(started);
  ASSERT_EQ(started->bindings.size(), 2u);
  EXPECT_EQ(started->bindings[0].host_port, 80);
  EXPECT_EQ(started->bindings[1].host_port, 53);
  EXPECT_EQ(started->bindings[1].protocol, "udp");
}

TEST_F(ProcessSpec, UserWorkingDirectoryAndUlimitsAreApplied) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  ContainerSpec container = shell("id -u; id -g; id -G; pwd; ulimit -Sn; ulimit -Hn; umask");
  container.container.dockerConfig.config = R"({"User": "65534:7", "WorkingDir": "/usr"})";
  container.container.dockerConfig.hostConfig = R"({"Ulimits": [{"Name": "nofile", "Soft": 123, "Hard": 456}]})";
  EXPECT_EQ(run_to_end(container).code, 0);
  EXPECT_EQ(output(), "65534\n7\n7\n/usr\n123\n456\n0022\n");
}

TEST_F(ProcessSpec, TheDefaultWorkingDirectoryIsTheTasksFolder) {
  ContainerSpec container = shell("pwd");
  container.work_folder = folder_;
  EXPECT_EQ(run_to_end(container).code, 0);
  EXPECT_EQ(output(), folder_ + "\n");
}

TEST_F(ProcessSpec, AbilitiesNameTheKindOfCgroups) {
  EXPECT_EQ(driver_->abilities().name, "process");
  EXPECT_THAT(driver_->abilities().attributes, Contains("stoker.cgroups=" + Cgroups::find().kind()));
}

}  // namespace
}  // namespace agent::drivers
