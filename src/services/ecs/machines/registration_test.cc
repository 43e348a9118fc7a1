// SPDX-License-Identifier: Apache-2.0
// What a machine may state of itself: operators and other machines read it.
#include <gmock/gmock.h>

#include "services/ecs/machines/machines_fixture.h"

namespace services::ecs {
namespace {

using testing::HasSubstr;

class Registration : public MachinesTest {
 protected:
  std::string error(const std::string& json) { return error_of(&register_container_instance, json); }
};

TEST_F(Registration, AttributesHaveAmazonsLengths) {
  const auto with = [](std::size_t name, std::size_t value) {
    return R"({"attributes":[{"name":")" + std::string(name, 'n') + R"(","value":")" + std::string(value, 'v') + "\"}]}";
  };
  EXPECT_EQ(error(with(128, 128)), "");
  EXPECT_THAT(error(with(129, 1)), HasSubstr("InvalidParameterException: Invalid attribute"));
  EXPECT_THAT(error(with(1, 129)), HasSubstr("Invalid attribute"));
  EXPECT_THAT(error(with(0, 1)), HasSubstr("Invalid attribute"));
}

TEST_F(Registration, ResourcesAreThoseThatECSHas) {
  const auto with = [](const std::string& name, const std::string& value) {
    return R"({"totalResources":[{"name":")" + name + R"(","type":"STRINGSET","stringSetValue":[")" + value + "\"]}]}";
  };
  EXPECT_EQ(error(with("PORTS", "22")), "");
  EXPECT_THAT(error(with("NOISE", "22")), HasSubstr("Invalid resource: NOISE"));
  EXPECT_THAT(error(with("PORTS", std::string(256, '2'))), HasSubstr("Invalid resource: PORTS"));
}

TEST_F(Registration, OtherTextsHaveALimit) {
  const std::string text(300, 'x');
  EXPECT_THAT(error(R"({"versionInfo":{"agentHash":")" + text + "\"}}"), HasSubstr("Invalid versionInfo"));
  EXPECT_THAT(error(R"({"platformDevices":[{"type":"GPU","id":")" + text + "\"}]}"), HasSubstr("platform device"));
}

}  // namespace
}  // namespace services::ecs
