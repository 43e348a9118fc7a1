// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/ecs_fixture.h"

namespace services::ecs {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class Attributes : public EcsTest {
 protected:
  Attributes() { run_json(&create_cluster, "{}"); }

  std::string add_machine(const std::string& name, const std::string& attributes = "") {
    auto response = run_json(&register_container_instance, R"({"instanceIdentityDocument":"{\"instanceId\":\")" + name +
                                                               R"(\"}","attributes":[)" + attributes + "]}");
    return *response.containerInstance->containerInstanceArn;
  }
  static std::string attribute(const std::string& name, const std::string& value, const std::string& target) {
    return R"({"name":")" + name + R"(","value":")" + value + R"(","targetId":")" + target + R"("})";
  }
  static std::string request(const std::string& attributes) { return R"({"attributes":[)" + attributes + "]}"; }
  std::vector<Attribute> list(const std::string& more = "") {
    return *run_json(&list_attributes, R"({"targetType":"container-instance")" + more + "}").attributes;
  }
};

TEST_F(Attributes, AttributesArePutListedAndDeletedInTheFleetToo) {
  const std::string arn = add_machine("a");
  const std::string id = arn.substr(arn.rfind('/') + 1);
  const auto put = run_json(&put_attributes, request(attribute("stack", "production", arn)));
  EXPECT_EQ(to_json(put), R"({"attributes":[{"name":"stack","value":"production","targetId":")" + arn + "\"}]}");
  auto known = [&] {
    return fleets_.with(state::ClusterNumber(1), [&](scheduler::Fleet& fleet) {
      return fleet.find(model::InstanceId(id))->instance().attributes.count("stack");
    });
  };
  EXPECT_EQ(known(), 1u);
  EXPECT_THAT(list(R"(,"attributeName":"stack","attributeValue":"production")"), SizeIs(1));
  EXPECT_THAT(list(R"(,"attributeName":"stack","attributeValue":"test")"), SizeIs(0));
  auto remove = [&](const std::string& value) {
    return *run_json(&delete_attributes, request(attribute("stack", value, arn))).attributes;
  };
  EXPECT_THAT(remove("test"), SizeIs(0));
  EXPECT_THAT(remove("production"), SizeIs(1));
  EXPECT_EQ(known(), 0u);
  EXPECT_THAT(list(R"(,"attributeName":"stack")"), SizeIs(0));
}

TEST_F(Attributes, UsersCanNotChangeTheAttributesOfAgents) {
  const std::string arn = add_machine("a", R"({"name":"ecs.os-type","value":"linux"})");
  for (const char* name : {"ecs.os-type", "com.amazonaws.ecs.capability.x", "stoker.driver"}) {
    EXPECT_THAT(error_of(&put_attributes, request(attribute(name, "v", arn))), HasSubstr("InvalidParameterException"));
    EXPECT_THAT(error_of(&delete_attributes, request(attribute(name, "v", arn))),
                HasSubstr("InvalidParameterException"));
  }
}

TEST_F(Attributes, KeepToAmazonsRules) {
  const std::string arn = add_machine("a");
  auto refused = [&](const std::string& name, const std::string& value) {
    return error_of(&put_attributes, request(attribute(name, value, arn)));
  };
  EXPECT_EQ(refused(R"(a-_/\\.Z9)", R"(a-_.@/\\: b)"), "");
  EXPECT_EQ(refused(std::string(128, 'n'), std::string(128, 'v')), "");
  for (const std::string& name : {std::string(), std::string(129, 'n'), std::string("a b"), std::string("a:b")}) {
    EXPECT_THAT(refused(name, "v"), HasSubstr("Invalid attribute name"));
  }
  for (const std::string& value : {std::string(), std::string(129, 'v'), std::string(" v"), std::string("v "),
                                   std::string("a,b")}) {
    EXPECT_THAT(refused("n", value), HasSubstr("Invalid attribute value"));
  }
  EXPECT_THAT(error_of(&put_attributes, request(R"({"name":"n","targetId":"0123456789abcdef0123456789abcdef"})")),
              HasSubstr("targetType can not be blank."));
  EXPECT_THAT(error_of(&put_attributes, request(R"({"name":"n","targetType":"container-instance",
                                                    "targetId":"0123456789abcdef0123456789abcdef"})")),
              HasSubstr("TargetNotFoundException"));
}

TEST_F(Attributes, AnInstanceHasAtMostTenCustomAttributes) {
  const std::string arn = add_machine("a", R"({"name":"ecs.os-type","value":"linux"})");
  std::string ten;
  for (int i = 0; i < 10; ++i) ten += (i ? "," : "") + attribute("n" + std::to_string(i), "v", arn);
  EXPECT_THAT(error_of(&put_attributes, request(ten + "," + attribute("n10", "v", arn))), HasSubstr("at most 10 items"));
  EXPECT_EQ(error_of(&put_attributes, request(ten)), "");
  EXPECT_EQ(error_of(&put_attributes, request(attribute("n3", "other", arn))), "");
  EXPECT_THAT(error_of(&put_attributes, request(attribute("n10", "v", arn))),
              HasSubstr("AttributeLimitExceededException"));
}

TEST_F(Attributes, AttributesAreListedPageByPage) {
  const std::string first = add_machine("a", R"({"name":"x","value":"1"},{"name":"y"})"), second = add_machine("b");
  run_json(&put_attributes, request(attribute("x", "2", second)));
  std::size_t count = 0;
  std::string more = R"(,"maxResults":2)";
  for (;;) {
    const auto page = run_json(&list_attributes, R"({"targetType":"container-instance")" + more + "}");
    count += page.attributes->size();
    if (!page.nextToken) break;
    more = R"(,"maxResults":2,"nextToken":")" + *page.nextToken + "\"";
  }
  EXPECT_EQ(count, 5u);  // each has an availability zone, too
  EXPECT_THAT(list(R"(,"attributeName":"x")"), SizeIs(2));
  EXPECT_THAT(error_of(&list_attributes, R"({"targetType":"container-instance","attributeValue":"1"})"),
              HasSubstr("InvalidParameterException"));
}

}  // namespace
}  // namespace services::ecs
