// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/definitions/environment_files.h"

#include "services/ecs/machines/machines_fixture.h"

namespace services::ecs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string file(const std::string& value) { return R"({"type":"s3","value":")" + value + R"("})"; }

std::string definition(const std::string& files, const std::string& task = "") {
  return R"({"family":"files","containerDefinitions":[{"name":"c","image":"busybox","memory":16,
      "environmentFiles":[)" + files + "]}]" + (task.empty() ? "" : "," + task) + "}";
}

class EnvironmentFiles : public MachinesTest {
 protected:
  std::string add_reader(const std::string& name) {
    auto response = run_json(&register_container_instance,
                             R"({"instanceIdentityDocument":"{\"instanceId\":\")" + name +
                                 R"(\"}","totalResources":[{"name":"CPU","type":"INTEGER","integerValue":4096},
             {"name":"MEMORY","type":"INTEGER","integerValue":8000}],
             "attributes":[{"name":"ecs.capability.env-files.s3"},{"name":"com.amazonaws.ecs.capability.task-iam-role"}]})");
    const std::string arn = *response.containerInstance->containerInstanceArn;
    const std::string id = arn.substr(arn.rfind('/') + 1);
    with_call([&](Call& call) { set_connected(call, model::InstanceId(id), true); });
    return id;
  }
  shapes::agent::Task payload(const std::string& instance) {
    shapes::agent::Task task;
    with_call([&](Call& call) { task = work_for(call, admit(call, "default", instance), {}).tasks.at(0); });
    return task;
  }
};

TEST_F(EnvironmentFiles, EnvironmentFilesAreShownAndRequireAMachineThatReadsThem) {
  const auto shown = register_json(definition(file("arn:aws:s3:::bucket/path/a.env")));
  EXPECT_EQ(shown.containerDefinitions->at(0).environmentFiles->at(0).value, "arn:aws:s3:::bucket/path/a.env");
  ASSERT_THAT(*shown.requiresAttributes, SizeIs(1));
  EXPECT_EQ(shown.requiresAttributes->at(0).name, kReadsEnvironmentFiles);
  add_machine("cannot", 0);
  const auto refused = run_family("files");
  EXPECT_THAT(*refused.tasks, IsEmpty());
  EXPECT_EQ(refused.failures->at(0).reason, "ATTRIBUTE");
  add_reader("can");
  EXPECT_THAT(*run_family("files").tasks, SizeIs(1));
}

TEST_F(EnvironmentFiles, EnvironmentFilesAreAtMostTenObjectsOfS3) {
  auto error = [&](const std::string& files) { return error_of(&register_task_definition, definition(files)); };
  std::string ten = file("arn:aws:s3:::b/0.env");
  for (int i = 1; i < 10; ++i) ten += "," + file("arn:aws-cn:s3:::b/deep/er/" + std::to_string(i) + ".env");
  EXPECT_EQ(error(ten), "");
  EXPECT_THAT(error(ten + "," + file("arn:aws:s3:::b/10.env")),
              HasSubstr("The maximum number of environment files was exceeded. Specify ten or less and try again."));
  for (std::string value : {"s3://b/x.env", "", "x.env", "arn:aws:s3", "arn::s3:::b/x.env"}) {
    EXPECT_THAT(error(file(value)), HasSubstr("Invalid arn syntax.")) << value;
  }
  for (std::string value : {"arn:aws:sqs:::b/x.env", "arn:aws:s3:::x.env", "arn:aws:s3:::/x.env", "arn:aws:s3:::b/",
                            "arn:aws:s3:us-east-1::b/x.env"}) {
    EXPECT_THAT(error(file(value)), HasSubstr("is not the ARN of an Amazon S3 object")) << value;
  }
  EXPECT_THAT(error(file("arn:aws:s3:::b/x.txt")), HasSubstr("must have a .env file extension"));
}

TEST_F(EnvironmentFiles, EnvironmentFilesAreSentToTheAgentInOrder) {
  const std::string id = add_reader("a");
  register_json(definition(file("arn:aws:s3:::b/2.env") + "," + file("arn:aws:s3:::b/1.env")));
  run_family("files");
  const shapes::agent::EnvironmentFile first{"s3", "arn:aws:s3:::b/2.env"}, second{"s3", "arn:aws:s3:::b/1.env"};
  EXPECT_THAT(payload(id).containers[0].environmentFiles, ElementsAre(first, second));
}

TEST_F(EnvironmentFiles, EnvironmentFilesOfALaunchReplaceTheDefinitions) {
  const std::string id = add_reader("a");
  register_json(definition(file("arn:aws:s3:::b/old.env")));
  run_family("files", R"("overrides":{"containerOverrides":[{"name":"c","environmentFiles":[)" +
                          file("arn:aws:s3:::b/new.env") + "]}]}");
  const shapes::agent::EnvironmentFile only{"s3", "arn:aws:s3:::b/new.env"};
  EXPECT_THAT(payload(id).containers[0].environmentFiles, ElementsAre(only));
}

TEST_F(EnvironmentFiles, ALaunchWithoutEnvironmentFilesUsesTheDefinitions) {
  const std::string id = add_reader("a");
  register_json(definition(file("arn:aws:s3:::b/old.env")));
  run_family("files", R"("overrides":{"containerOverrides":[{"name":"c","environmentFiles":[]}]})");
  EXPECT_THAT(payload(id).containers[0].environmentFiles, SizeIs(1));
}

TEST_F(EnvironmentFiles, EnvironmentFilesOfALaunchRequireAMachineThatReadsThem) {
  add_machine("cannot", 0);
  const std::string files =
      R"("overrides":{"containerOverrides":[{"name":"c","environmentFiles":[)" + file("arn:aws:s3:::b/x.env") + "]}]}";
  EXPECT_THAT(*run_family("plain").tasks, SizeIs(1));
  EXPECT_EQ(run_family("plain", files).failures->at(0).reason, "ATTRIBUTE");
  EXPECT_THAT(error_of(&run_task, R"({"taskDefinition":"plain","overrides":{"containerOverrides":[{"name":"c",
                  "environmentFiles":[)" + file("b/x.env") + "]}]}}"),
              HasSubstr("InvalidParameterException"));
}

TEST_F(EnvironmentFiles, EnvironmentFilesAreReadWithTheCredentialsOfTheExecutionRole) {
  const std::string id = add_reader("a");
  register_json(definition(file("arn:aws:s3:::b/x.env"), R"("executionRoleArn":"arn:aws:iam::000000000000:role/x","taskRoleArn":"arn:aws:iam::000000000000:role/y")"));
  run_family("files");
  const shapes::agent::Task task = payload(id);
  ASSERT_TRUE(task.executionRoleCredentials && task.roleCredentials);
  EXPECT_EQ(*task.executionRoleCredentials->roleArn, "arn:aws:iam::000000000000:role/x");
  EXPECT_NE(task.executionRoleCredentials->credentialsId, task.roleCredentials->credentialsId);
  EXPECT_EQ(task.executionRoleCredentials->accessKeyId, task.roleCredentials->accessKeyId);
  with_call([&](Call& call) { set_delivered(call, admit(call, "default", id), {task.arn}); });
  now_ += std::chrono::minutes(301);
  std::vector<std::string> renewed;
  with_call([&](Call& call) {
    for (const auto& message : renewed_credentials(call, admit(call, "default", id))) renewed.push_back(message.roleType);
  });
  EXPECT_THAT(renewed, ElementsAre("TaskApplication", "TaskExecution"));
}

}  // namespace
}  // namespace services::ecs
