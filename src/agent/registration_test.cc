// SPDX-License-Identifier: Apache-2.0
#include "agent/registration.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace agent {
namespace {

Options test_options() {
  Options options;
  options.server = "http://127.0.0.1:1";
  options.region = "eu-west-1";
  options.name = "box-a";
  options.version = "0.1.0";
  options.attributes = {{"rack", "r1"}};
  return options;
}

std::optional<std::string> value_of(const shapes::ecs::RegisterContainerInstanceRequest& request,
                                    const std::string& name) {
  for (const auto& attribute : *request.attributes) {
    if (attribute.name == name) return attribute.value;
  }
  return "absent";
}

TEST(DescribeMachine, ListsResourcesAttributesAndDevices) {
  Options options = test_options();
  options.reserved_memory_mib = 256;
  auto request = describe_machine(options, {4, 8192}, {"docker", "24.0", {"com.amazonaws.ecs.capability.x"}},
                                  {{.id = "GPU-1", .model = "Tesla V100"}, {.id = "GPU-2", .model = "Tesla V100"}});
  EXPECT_EQ((*request.totalResources)[0].integerValue, 4096);
  EXPECT_EQ((*request.totalResources)[1].integerValue, 8192 - 256);
  EXPECT_EQ((*request.totalResources)[2].stringSetValue,
            (std::vector<std::string>{"22", "2375", "2376", "51678", "51679"}));
  EXPECT_EQ((*request.totalResources)[4].stringSetValue, (std::vector<std::string>{"GPU-1", "GPU-2"}));
  EXPECT_EQ(request.platformDevices->size(), 2u);
  EXPECT_EQ(value_of(request, "ecs.availability-zone"), "eu-west-1a");
  EXPECT_EQ(value_of(request, "stoker.driver"), "docker");
  EXPECT_EQ(value_of(request, "stoker.gpu-model"), "Tesla V100");
  EXPECT_EQ(value_of(request, "rack"), "r1");
  EXPECT_EQ(value_of(request, "com.amazonaws.ecs.capability.x"), std::nullopt);
  EXPECT_EQ(value_of(request, "ecs.instance-type"), "absent");
  EXPECT_NE(request.instanceIdentityDocument->find(R"("instanceId":"box-a")"), std::string::npos);
}

TEST(DescribeMachine, ASliceHasTheGivenSize) {
  Options options = test_options();
  options.cpu_units = 512;
  options.memory_mib = 1000;
  options.availability_zone = "rack-7";
  auto request = describe_machine(options, {4, 8192}, {}, {});
  EXPECT_EQ((*request.totalResources)[0].integerValue, 512);
  EXPECT_EQ((*request.totalResources)[1].integerValue, 1000);
  EXPECT_EQ(value_of(request, "ecs.availability-zone"), "rack-7");
}

TEST(DescribeMachine, TagsAreThoseOfTheContainerInstance) {
  Options options = test_options();
  options.tags = {{"team", "vision"}};
  auto request = describe_machine(options, {4, 8192}, {}, {});
  ASSERT_TRUE(request.tags);
  EXPECT_EQ(request.tags->at(0), (shapes::ecs::Tag{"team", "vision"}));
  EXPECT_FALSE(describe_machine(test_options(), {4, 8192}, {}, {}).tags);
}

TEST(InstanceGone, IsDistinguishedFromOtherErrors) {
  EXPECT_TRUE(is_instance_gone("InactiveInstanceException", ""));
  EXPECT_TRUE(is_instance_gone("InvalidParameterException", "The specified container instance is not registered."));
  EXPECT_FALSE(is_instance_gone("InvalidParameterException", "GPU-1 is registered by container instance x already."));
  EXPECT_FALSE(is_instance_gone("ServerException", ""));
}

}  // namespace
}  // namespace agent
