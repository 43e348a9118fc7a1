// SPDX-License-Identifier: Apache-2.0
// Docker's configuration of a container, as the agent gets it.
#include <gmock/gmock.h>

#include "services/ecs/tasks/payload.h"

namespace services::ecs {
namespace {

using shapes::ecs::ContainerDefinition;
using testing::HasSubstr;
using testing::Not;

std::string config_sent(const ContainerDefinition& container) {
  return *docker_config(container, std::nullopt, {}, "bridge").config;
}

TEST(PayloadDocker, TheFirstClientEndsTheInputOfAContainerWithoutATerminal) {
  ContainerDefinition container;
  EXPECT_THAT(config_sent(container), Not(HasSubstr("Stdin")));
  container.interactive = true;
  EXPECT_THAT(config_sent(container), HasSubstr(R"("OpenStdin":true,"StdinOnce":true)"));
  container.pseudoTerminal = true;
  EXPECT_THAT(config_sent(container), HasSubstr(R"("OpenStdin":true)"));
  EXPECT_THAT(config_sent(container), Not(HasSubstr("StdinOnce")));
}

// Amazon's agent reads them there alone.
TEST(PayloadDocker, TheHostsNetworkAndPrivilegesAreInTheHostConfig) {
  ContainerDefinition container;
  container.privileged = true;
  for (const std::string mode : {"host", "none"}) {
    const std::string sent = *docker_config(container, std::nullopt, {}, mode).hostConfig;
    EXPECT_THAT(sent, HasSubstr(R"("NetworkMode":")" + mode + '"'));
    EXPECT_THAT(sent, HasSubstr(R"("Privileged":true)"));
  }
  container.privileged.reset();
  const std::string sent = *docker_config(container, std::nullopt, {}, "bridge").hostConfig;
  EXPECT_THAT(sent, Not(HasSubstr("NetworkMode")));
  EXPECT_THAT(sent, Not(HasSubstr("Privileged")));
}

}  // namespace
}  // namespace services::ecs
