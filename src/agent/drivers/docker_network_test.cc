// SPDX-License-Identifier: Apache-2.0
// Ports, links, volumes and shared namespaces, with a real engine.
#include <gmock/gmock.h>

#include "agent/drivers/docker_fixture.h"
#include "http/listener.h"

namespace agent::drivers {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kServe = "echo hello > /var/www/index.html; exec httpd -f -p 8080 -h /var/www";
const std::string kFetch = "until wget -qO- http://HOST:8080/index.html; do sleep 0.05; done 2> /dev/null";

std::string fetch_from(const std::string& host) {
  std::string script = kFetch;
  return script.replace(script.find("HOST"), 4, host);
}

class DockerNetwork : public DockerTest {
 protected:
  std::string page_at(const std::string& host, int port) {
    http::Client client(io_, http::Endpoint::tcp(host, static_cast<unsigned short>(port)));
    std::string page;
    eventually([&] {
      http::Request request;
      request.head.method = "GET";
      request.head.target = "/index.html";
      auto response = client.send_now(std::move(request), 5s);
      if (response && response->status == 200) page = response->body;
      return !page.empty();
    });
    return page;
  }
  // Below the range of which the kernel gives ports to connections: other tests open many of them.
  int free_port() {
    for (;;) {
      const int port = next_port_++;
      try {
        http::open_tcp_listener("0.0.0.0", static_cast<unsigned short>(port));
        return port;
      } catch (const std::runtime_error&) {
        if (port > 29999) throw;  // not because the port is in use
      }
    }
  }

 private:
  int next_port_ = 20000 + ::getpid() % 9000;
};

TEST_F(DockerNetwork, FixedPortsAreBoundAndDynamicPortsChosen) {
  const int fixed_port = free_port();
  ContainerSpec spec = shell("web", kServe);
  spec.container.portMappings = {{.containerPort = 8080, .hostPort = fixed_port},
                                 {.containerPort = 8080, .hostPort = 0},
                                 {.containerPort = 0, .protocol = "udp", .containerPortRange = "9000-9002"}};
  start(spec);
  std::set<int> tcp;
  int udp = 0;
  for (const Binding& binding : started_.bindings) {
    if (binding.bind_ip != "0.0.0.0") continue;
    EXPECT_GT(binding.host_port, 0);
    if (binding.protocol == "udp") ++udp;
    if (binding.protocol == "tcp" && binding.container_port == 8080) tcp.insert(binding.host_port);
  }
  EXPECT_EQ(udp, 3);
  EXPECT_EQ(tcp.size(), 2u);
  EXPECT_TRUE(tcp.contains(fixed_port));
  for (int port : tcp) EXPECT_EQ(page_at("127.0.0.1", port), "hello\n") << port;
  EXPECT_NE(started_.address, "");
  EXPECT_GT(started_.pid, 0);
}

TEST_F(DockerNetwork, AContainerWhosePortIsInUseCannotStart) {
  auto taken = http::open_tcp_listener("0.0.0.0", 0);
  ContainerSpec spec = shell("web", kServe);
  spec.container.portMappings = {{.containerPort = 8080, .hostPort = http::bound_port(taken.get())}};
  auto started = run(driver_->start(create(spec)));
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error(), StartsWith("CannotStartContainerError: "));
  EXPECT_THAT(started.error(), HasSubstr("address already in use"));
}

TEST_F(DockerNetwork, ALinkResolvesByNameAndAlias) {
  start(shell("web", kServe));
  ContainerSpec client = shell("client", fetch_from("site") + "; " + fetch_from("web"));
  client.container.links = {"web:site", "web"};
  EXPECT_EQ(run_to_end(client), "hello\nhello\n");
  client.container.links = {"nobody"};
  auto created = run(driver_->create(client));
  ASSERT_FALSE(created);
  EXPECT_THAT(created.error(), StartsWith("CannotCreateContainerError: link to 'nobody'"));
}

TEST_F(DockerNetwork, InHostModePortsAreTheHostsPorts) {
  task_.networkMode = "host";
  const int port = free_port();
  ContainerSpec spec =
      shell("web", "mkdir -p /w; echo host > /w/index.html; exec httpd -f -h /w -p " + std::to_string(port));
  spec.container.portMappings = {{.containerPort = port, .hostPort = port}};
  start(spec);
  ASSERT_EQ(started_.bindings.size(), 1u);
  EXPECT_EQ(started_.bindings[0].host_port, port);
  EXPECT_EQ(page_at("127.0.0.1", port), "host\n");
}

TEST_F(DockerNetwork, WithoutANetworkThereIsOnlyTheLoopbackInterface) {
  task_.networkMode = "none";
  EXPECT_EQ(run_to_end(shell("main", "ls /sys/class/net")), "lo\n");
}

TEST_F(DockerNetwork, ContainersOfAnAwsvpcTaskShareAnAddressThatOutlivesEachOfThem) {
  task_.networkMode = "awsvpc";
  const std::string first = start(shell("first", "hostname -i"));
  wait(first);
  const std::string address = started_.address;
  EXPECT_EQ(output(shell("first", "")), address + "\n");
  start(shell("web", kServe));
  EXPECT_EQ(started_.address, address);
  EXPECT_TRUE(started_.bindings.empty());
  EXPECT_EQ(page_at(address, 8080), "hello\n");
  EXPECT_EQ(run_to_end(shell("client", fetch_from("127.0.0.1"))), "hello\n");
  ASSERT_TRUE(run(driver_->start(first)));
  wait(first);
  EXPECT_EQ(output(shell("first", "")), address + "\n" + address + "\n");

  task_ = make_task();
  task_.networkMode = "awsvpc";
  start(shell("other", kServe));
  EXPECT_NE(started_.address, address);
}

TEST_F(DockerNetwork, ContainersOfATaskCanShareProcesses) {
  task_.pidMode = "task";
  task_.ipcMode = "task";
  start(shell("first", "exec sleep 1000"));
  EXPECT_THAT(run_to_end(shell("second", "ps")), HasSubstr("sleep 1000"));
}

TEST_F(DockerNetwork, FoldersAndVolumesAreMounted) {
  std::filesystem::create_directories(folder_ / "source");
  task_.volumes = {{.name = "host", .host = shapes::agent::HostPath{(folder_ / "source").string()}},
                   {.name = "own"},
                   {.name = "task", .type = "docker", .dockerVolumeConfiguration = shapes::agent::DockerVolume{}}};
  ContainerSpec writer = shell("writer", "for v in host own task; do echo $v > /$v/file; done");
  for (const char* name : {"host", "own", "task"}) {
    writer.container.mountPoints.push_back({.sourceVolume = name, .containerPath = std::string("/") + name});
  }
  run_to_end(writer);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "source" / "file"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "work" / "volumes" / "own" / "file"));
  ContainerSpec reader =
      shell("reader", "cat /host/file /own/file /task/file; { echo x > /task/file; } 2> /dev/null || echo refused");
  reader.container.volumesFrom = {{.sourceContainer = "writer", .readOnly = true}};
  EXPECT_THAT(run_to_end(reader), HasSubstr("host\nown\ntask\n"));
  EXPECT_THAT(output(reader), HasSubstr("refused\n"));
  EXPECT_EQ(left_over("/volumes?").size(), 1u);
}

TEST_F(DockerNetwork, ASharedVolumeIsCreatedOnlyWithAutoprovisionAndIsKept) {
  const std::string name = "stoker-shared-" + agent_;
  shapes::agent::DockerVolume shared;
  shared.scope = "shared";
  task_.volumes = {{.name = name, .dockerVolumeConfiguration = shared}};
  ContainerSpec spec = shell("main", "echo kept > /v/file");
  spec.container.mountPoints = {{.sourceVolume = name, .containerPath = "/v"}};
  auto refused = run(driver_->create(spec));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error(), StartsWith("CannotCreateVolumeError: "));
  spec.task.volumes[0].dockerVolumeConfiguration->autoprovision = true;
  const std::string id = start(spec);
  wait(id);
  ASSERT_TRUE(run(driver_->remove(id)));
  ASSERT_TRUE(run(driver_->clean_up(task_.arn)));
  DockerApi api(io_, default_socket());
  ASSERT_TRUE(api.connect());
  EXPECT_TRUE(run(api.get("/volumes/" + name)).ok());
  EXPECT_TRUE(run(api.remove("/volumes/" + name)).ok());
}

}  // namespace
}  // namespace agent::drivers
