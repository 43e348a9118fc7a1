// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/ecs_fixture.h"

namespace services::ecs {
namespace {

using testing::HasSubstr;

// Definitions, and a part of the error for each.
struct Refusal {
  std::string json, why;
};

class Refused : public EcsTest {
 protected:
  void expect(const std::vector<Refusal>& refusals) {
    for (const auto& [json, why] : refusals) {
      EXPECT_THAT(register_error(json), HasSubstr("ClientException: ")) << json;
      EXPECT_THAT(register_error(json), HasSubstr(why)) << json;
    }
  }
};

std::string two(const std::string& a, const std::string& b, const std::string& task = "") {
  return R"({"family":"f",)" + (task.empty() ? "" : task + ",") +
         R"("containerDefinitions":[{"name":"a","image":"i","memory":8)" + (a.empty() ? "" : "," + a) +
         R"(},{"name":"b","image":"i","memory":8)" + (b.empty() ? "" : "," + b) + "}]}";
}

std::string c(const std::string& members, const std::string& task = "") {
  return R"({"family":"f",)" + (task.empty() ? "" : task + ",") + R"("containerDefinitions":[{"name":"c","image":"i")" +
         (members.empty() ? "" : "," + members) + "}]}";
}
// With memory.
std::string m(const std::string& members, const std::string& task = "") {
  return c(R"("memory":16)" + (members.empty() ? "" : "," + members), task);
}

TEST_F(Refused, NamesAndLists) {
  std::string many;
  for (int i = 0; i < 11; ++i) {
    many += (i ? "," : "") + std::string(R"({"name":"c)") + std::to_string(i) + R"(","image":"i","memory":8})";
  }
  expect({
      {R"({"family":"","containerDefinitions":[]})", "Family should not be null or empty."},
      {R"({"family":"a b","containerDefinitions":[]})", "Family contains invalid characters."},
      {R"({"family":"f","containerDefinitions":[]})", "Container list cannot be empty."},
      {R"({"family":"f","containerDefinitions":[)" + many + "]}", "Too many containers."},
      {R"({"family":"f","containerDefinitions":[{}]})", "Container.name should not be null or empty."},
      {R"({"family":"f","containerDefinitions":[{"name":"a b"}]})", "Container.name contains invalid characters."},
      {R"({"family":"f","containerDefinitions":[{"name":"a"}]})", "Container.image should not be null or empty."},
      {R"({"family":"f","containerDefinitions":[{"name":"a","image":"$x"}]})",
       "Container.image contains invalid characters."},
      {m(R"("image":"i@sha256:12")"), "digest"},
      {two(R"("name":"b")", ""), "Container names must be unique within a task definition."},
      {two(R"("essential":false)", R"("essential":false)"), "Task definition doesn't have any essential container."},
  });
}

TEST_F(Refused, Sizes) {
  expect({
      {c(""), "Invalid setting for container 'c'. At least one of 'memory' or 'memoryReservation' must be specified."},
      {c(R"("memory":3)"), "Invalid 'memory' setting for container 'c'."},
      {m(R"("memoryReservation":17)"), "'memory' must be greater than or equal to 'memoryReservation'."},
      {m(R"("cpu":-1)"), "Invalid 'cpu' setting for container 'c'."},
      {m("", R"("cpu":"64")"), "Invalid 'cpu' setting for task."},
      {m("", R"("cpu":"lots")"), "Invalid 'cpu' setting for task."},
      {m("", R"("memory":"big")"), "Invalid 'memory' setting for task."},
      {m("", R"("memory":"8")"), "The 'memory' setting for container 'c' is greater than for the task."},
      {m(R"("cpu":257)", R"("cpu":"256")"),
       "The sum of all container 'cpu' values cannot be greater than the value of the task 'cpu'."},
      {two("", "", R"("memory":"15")"), "cannot be greater than the value of the task 'memory'."},
  });
  EXPECT_EQ(register_error(c("", R"("memory":"512")")), "");
}

TEST_F(Refused, Ports) {
  const std::string http = R"("portMappings":[{"containerPort":80,"hostPort":8080}])";
  expect({
      {m(R"("portMappings":[{"hostPort":80}])"), "Invalid 'containerPort' setting for container 'c'."},
      {m(R"("portMappings":[{"containerPort":65536}])"), "Invalid 'containerPort' setting for container 'c'."},
      {m(R"("portMappings":[{"containerPort":80,"hostPort":-1}])"), "Invalid 'hostPort' setting for container 'c'."},
      {m(http, R"("networkMode":"awsvpc")"),
       "When networkMode=awsvpc, the host ports and container ports in port mappings must match."},
      {m(http, R"("networkMode":"host")"),
       "When networkMode=host, the host ports and container ports in port mappings must match."},
      {m(http, R"("networkMode":"none")"), "networkMode=none"},
      {two(http, http), "TCP host port '8080' is mapped multiple times in task."},
      {two(R"("portMappings":[{"containerPort":80}])", R"("portMappings":[{"containerPort":80}])",
           R"("networkMode":"awsvpc")"),
       "TCP host port '80' is mapped multiple times in task."},
      {m(R"("portMappings":[{"containerPortRange":"90-80"}])"), "Invalid 'containerPortRange' setting"},
      {m(R"("portMappings":[{"containerPortRange":"80-65536"}])"), "Invalid 'containerPortRange' setting"},
      {m(R"("portMappings":[{"containerPortRange":"80-90","containerPort":1}])"),
       "cannot specify both single port and port range"},
      {m(R"("portMappings":[{"containerPortRange":"80-90"},{"containerPortRange":"90-99"}])"),
       "container port '90' is used multiple times in task"},
      {two(R"("portMappings":[{"containerPort":1,"name":"p"}])", R"("portMappings":[{"containerPort":2,"name":"p"}])"),
       "port mapping name is already used"},
      {m(R"("portMappings":[{"containerPort":1,"name":"-P"}])"), "Invalid port mapping name"},
  });
  // The same port for each protocol, and any number of dynamic ones.
  EXPECT_EQ(register_error(m(R"("portMappings":[{"containerPort":80,"hostPort":80},
      {"containerPort":80,"hostPort":80,"protocol":"udp"},{"containerPort":81},{"containerPort":82}])")),
            "");
}

TEST_F(Refused, LinksAndDependencies) {
  auto depends = [](const std::string& on, const std::string& condition) {
    return R"("dependsOn":[{"containerName":")" + on + R"(","condition":")" + condition + R"("}])";
  };
  EXPECT_EQ(register_error(m("", R"("volumes":[{"name":"v","dockerVolumeConfiguration":{"autoprovision":true}}])")), "");
  expect({
      {two(R"("links":["x"])", ""), "Unknown container 'x'"},
      {two(R"("links":["b:alias"])", R"("links":["a"])"), "Container links should not have a cycle"},
      {two(R"("links":["a"])", ""), "Container links should not have a cycle"},
      {two(R"("links":["b"])", "", R"("networkMode":"awsvpc")"), "Links are not supported when networkMode=awsvpc."},
      {two(depends("x", "START"), ""), "'x' because it does not exist"},
      {two(depends("b", "START"), depends("a", "START")), "Container dependencies should not have a cycle"},
      {two(depends("b", "SUCCESS"), ""),
       "A dependency container with SUCCESS or COMPLETE condition cannot be an essential container"},
      {two(depends("b", "HEALTHY"), ""),
       "A dependency container with HEALTHY condition must have health check configured"},
      {two(R"("volumesFrom":[{"sourceContainer":"x"}])", ""), "Unknown container 'x'"},
      {m(R"("mountPoints":[{"sourceVolume":"v","containerPath":"/v"}])"), "Unknown volume 'v'."},
      {m(R"("mountPoints":[{"containerPath":"/v"}])"), "Unknown volume 'null'."},
      {m("", R"("volumes":[{"name":"v","host":{"sourcePath":""}}])"), "host.sourcePath should not be blank."},
      {m("", R"("volumes":[{"name":"v"},{"name":"v"}])"), "Volume names must be unique"},
      {m("", R"("volumes":[{"name":"v","host":{},"dockerVolumeConfiguration":{}}])"), "only one configuration"},
      {m("", R"("volumes":[{"name":"v","dockerVolumeConfiguration":{"driver":""}}])"),
       "volume.dockerVolumeConfiguration.driver should not be null or empty."},
      {m("", R"("volumes":[{"name":"v","dockerVolumeConfiguration":{"scope":"task","autoprovision":false}}])"),
       "When 'scope' parameter is 'task', 'autoprovision' must either not be specified or set to 'True'."},
  });
  EXPECT_EQ(register_error(two(R"("links":["b"],)" + depends("b", "COMPLETE"), R"("essential":false)")), "");
}

TEST_F(Refused, OptionsOfTheLogDriverAwslogs) {
  auto awslogs = [](const std::string& options) {
    return m(R"("logConfiguration":{"logDriver":"awslogs","options":{"awslogs-region":"r","awslogs-group":"g")" +
             options + "}}");
  };
  expect({
      {m(R"("logConfiguration":{"logDriver":"awslogs","options":{"awslogs-region":"r"}})"),
       "Log driver awslogs requires options: awslogs-group"},
      {awslogs(R"(,"log_key":"x","awslogs-stream":"s")"),
       "Log driver awslogs disallows options: awslogs-stream, log_key"},
      {awslogs(R"(,"awslogs-endpoint":"http://x")"), "awslogs-endpoint"},
      {awslogs(R"(,"tag":"x")"), "tag"},
      {awslogs(R"(,"awslogs-datetime-format":"%Y","awslogs-multiline-pattern":"x")"),
       "you cannot configure log opt 'awslogs-datetime-format' and 'awslogs-multiline-pattern' at the same time"},
      {awslogs(R"(,"mode":"sometimes")"), "'blocking' or 'non-blocking'"},
      {awslogs(R"(,"max-buffer-size":"10 apples")"), "max-buffer-size"},
      {awslogs(R"(,"max-buffer-size":"0m")"), "max-buffer-size"},
      {awslogs(R"(,"max-buffer-size":"1m","mode":"blocking")"), "only supported with mode=non-blocking"},
      {awslogs(R"(,"awslogs-create-group":"maybe")"), "awslogs-create-group"},
      {awslogs(R"(,"awslogs-format":"xml")"), "awslogs-format"},
      {awslogs(R"(,"awslogs-force-flush-interval-seconds":"0")"), "awslogs-force-flush-interval-seconds"},
  });
  EXPECT_EQ(register_error(awslogs(R"(,"mode":"non-blocking","max-buffer-size":"25m","awslogs-create-group":"true",)"
                                   R"("awslogs-stream-prefix":"p","awslogs-multiline-pattern":"^x")")),
            "");
}

TEST_F(Refused, Containers) {
  expect({
      {m(R"("healthCheck":{"command":[]})"), "health check command"},
      {m(R"("healthCheck":{"command":["curl"]})"), "health check command"},
      {m(R"("healthCheck":{"command":["CMD","a"],"interval":4})"),
       "'interval' setting for container 'c' must be between 5 and 300"},
      {m(R"("healthCheck":{"command":["CMD","a"],"timeout":61})"), "'timeout' setting"},
      {m(R"("healthCheck":{"command":["CMD","a"],"retries":11})"), "'retries' setting"},
      {m(R"("healthCheck":{"command":["CMD","a"],"startPeriod":301})"), "'startPeriod' setting"},
      {m(R"("restartPolicy":{"enabled":true,"restartAttemptPeriod":59})"),
       "'restartAttemptPeriod' setting for container 'c' must be between 60 and 1800"},
      {m(R"("ulimits":[{"name":"nofile","softLimit":2,"hardLimit":1}])"), "Invalid 'ulimits' setting"},
      {m(R"("logConfiguration":{"logDriver":"awslogs"})"),
       "Log driver awslogs requires options: awslogs-region, awslogs-group"},
      {m(R"("logConfiguration":{"logDriver":"awsfirelens"})"), "a firelens configuration object must be configured in one of the containers."},
      {m(R"("secrets":[{"name":"S","valueFrom":"s"}])"), "you must also specify a value for 'executionRoleArn'"},
      {m(R"("environment":[{"value":"x"}])"), "Environment variable name cannot be null or blank."},
      {m(R"("environment":[{"name":"a=b","value":"x"}])"), "Invalid 'environment' setting"},
      {m(R"("linuxParameters":{"capabilities":{"add":["FLY"]}})"), "Invalid capability 'FLY'"},
      {m(R"("linuxParameters":{"swappiness":101})"), "Invalid 'swappiness' setting"},
      {m(R"("linuxParameters":{"tmpfs":[{"containerPath":"t","size":1}]})"), "Invalid 'tmpfs' setting"},
      {m(R"("linuxParameters":{"tmpfs":[{"containerPath":"/t","size":0}]})"),
       "The container has an invalid tmpfs size value specified. It must be a non-zero, non-negative integer."},
      {m(R"("linuxParameters":{"tmpfs":[{"containerPath":"/t","size":1,"mountOptions":["odd"]}]})"), "Invalid 'tmpfs'"},
      {m(R"("dockerSecurityOptions":["odd"])"), "Invalid 'dockerSecurityOptions' setting"},
      {m(R"("systemControls":[{"namespace":"vm.swappiness","value":"1"}])"), "Invalid 'systemControls' setting"},
      {m(R"("systemControls":[{"namespace":"net.x","value":"1"}])", R"("networkMode":"host")"), "networkMode=host"},
      {m(R"("hostname":"h")", R"("networkMode":"awsvpc")"),
       "hostname is not supported on container when networkMode=awsvpc"},
      {m(R"("dnsServers":["1.1.1.1"])", R"("networkMode":"awsvpc")"),
       "DNS servers are not supported on container when networkMode=awsvpc"},
  });
}

TEST_F(Refused, PlacementConstraints) {
  auto member_of = [](const std::string& expression) {
    return m("", R"("placementConstraints":[{"type":"memberOf","expression":")" + expression + R"("}])");
  };
  EXPECT_EQ(register_error(member_of("attribute:ecs.instance-type =~ g4.* and not(task:group == db)")), "");
  expect({
      {member_of(""), "Invalid expression of a placement constraint"},
      {member_of("attribute:x =="), "Invalid expression of a placement constraint"},
      {m("", R"("placementConstraints":[{"expression":"attribute:x exists"}])"), "constraint.type '' is not supported."},
      {m("", R"("placementConstraints":[{"type":"distinctInstance"}])"), "constraint.type 'distinctInstance' is not supported."},
  });
}

TEST_F(Refused, Gpus) {
  auto gpu = [](const std::string& rest) { return R"("resourceRequirements":[{"type":"GPU",)" + rest + "}]"; };
  const std::string mps = R"("sharingStrategy":{"nvidiaMps":{"memory":1024,"maxComputePercent":25}})";
  for (std::string rest :
       {std::string(R"("value":"1")"), std::string(R"("value":"16")"), std::string(R"("value":"ALL")"), mps,
        std::string(R"("sharingStrategy":{"nvidiaMps":{"memory":512}})")}) {
    EXPECT_EQ(register_error(m(gpu(rest))), "") << rest;
  }
  const ResourceRequirement shown = register_json(m(gpu(mps))).containerDefinitions->at(0).resourceRequirements->at(0);
  EXPECT_EQ(to_json(shown), R"({"type":"GPU","sharingStrategy":{"nvidiaMps":{"memory":1024,"maxComputePercent":25}}})");
  EXPECT_EQ(register_error(two(gpu(mps), gpu(mps))), "");
  std::vector<Refusal> refusals;
  for (std::string value : {"0", "-1", "1.5", "all", "", "01"}) {
    refusals.push_back({m(gpu(R"("value":")" + value + R"(")")), "It must be a positive integer or ALL."});
  }
  refusals.push_back({m(gpu(R"("value":"1",)" + mps)), "cannot specify both 'value' and 'sharingStrategy'"});
  refusals.push_back({m(gpu(R"("sharingStrategy":{})")), "must specify nvidiaMps"});
  refusals.push_back({m(gpu(R"("sharingStrategy":{"nvidiaMps":{}})")), "at least 1 MiB"});
  refusals.push_back(
      {m(gpu(R"("sharingStrategy":{"nvidiaMps":{"memory":1,"maxComputePercent":101}})")), "must be between 1 and 100"});
  refusals.push_back({m(R"("resourceRequirements":[{"type":"GPU","value":"1"},{"type":"GPU","value":"1"}])"),
                      "more than one GPU resource requirement"});
  refusals.push_back({two(gpu(R"("value":"ALL")"), gpu(R"("value":"1")")), "where one has ALL of them"});
  expect(refusals);
}

TEST_F(Refused, WhatFargateRejects) {
  const std::string fargate = R"("requiresCompatibilities":["FARGATE"])";
  const std::string sized = fargate + R"(,"networkMode":"awsvpc","cpu":"256","memory":"512")";
  EXPECT_EQ(register_error(m("", sized)), "");
  expect({
      {m("", fargate), "Fargate only supports network mode ‘awsvpc’."},
      {m("", fargate + R"(,"networkMode":"awsvpc")"), "Fargate requires that 'cpu' be defined at the task level."},
      {m("", fargate + R"(,"networkMode":"awsvpc","cpu":"256","memory":"4096")"),
       "No Fargate configuration exists for given values."},
      {m("", sized + R"(,"pidMode":"host")"),
       "Tasks using the Fargate launch type do not support pidMode 'host'. The supported value for pidMode is 'task'."},
      {m(R"("privileged":true)", sized), "Fargate requires that the 'privileged' setting be 'false'"},
      {m(R"("resourceRequirements":[{"type":"GPU","value":"1"}])", sized), "do not support GPU resource requirements"},
      {m("", sized + R"(,"volumes":[{"name":"v","host":{"sourcePath":"/x"}}])"), "do not support sourcePath"},
      {m(R"("logConfiguration":{"logDriver":"syslog"})", sized), "syslog is not a valid log driver"},
      {m("", sized + R"(,"ephemeralStorage":{"sizeInGiB":20})"), "EphemeralStorage size should be at least 21"},
      {m("", R"("ephemeralStorage":{"sizeInGiB":30})"),
       "Tasks using the EC2 launch type do not support EphemeralStorage"},
  });
}

TEST_F(Refused, UnsupportedFeaturesByName) {
  const std::string role = R"("executionRoleArn":"r")";
  expect({
      {m(R"("secrets":[{"name":"S","valueFrom":"s"}])", role), "secrets is not supported by Stoker"},
      {m(R"("repositoryCredentials":{"credentialsParameter":"x"})"), "repositoryCredentials is not supported"},
      {m(R"("firelensConfiguration":{"type":"fluentbit"})"), "firelensConfiguration is not supported"},
      {m(R"("credentialSpecs":["credentialspec:x"])"), "credentialSpecs is not supported"},
      {m(R"("resourceRequirements":[{"type":"InferenceAccelerator","value":"x"}])"), "InferenceAccelerator is not"},
      {m("", R"("volumes":[{"name":"v","efsVolumeConfiguration":{"fileSystemId":"fs-1"}}])"), "efsVolumeConfiguration"},
      {m("", R"("volumes":[{"name":"v","configuredAtLaunch":true}])"), "configuredAtLaunch is not supported"},
      {m("", R"("proxyConfiguration":{"containerName":"c"})"), "proxyConfiguration is not supported"},
      {m("", R"("enableFaultInjection":true)"), "enableFaultInjection is not supported"},
      {m("", R"("runtimePlatform":{"operatingSystemFamily":"WINDOWS_SERVER_2022_CORE"})"), "WINDOWS_SERVER_2022_CORE"},
  });
}

}  // namespace
}  // namespace services::ecs
