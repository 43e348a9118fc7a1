// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "services/ec2/ec2_fixture.h"
#include "services/ec2/templates/template_data.h"

namespace services::ec2 {
namespace {

class Templates : public Ec2Test {
 protected:
  std::string create(const std::string& name, const RequestLaunchTemplateData& data) {
    CreateLaunchTemplateRequest request;
    request.LaunchTemplateName = name;
    request.LaunchTemplateData = data;
    return *run<CreateLaunchTemplateResult>("CreateLaunchTemplate", request).LaunchTemplate->LaunchTemplateId;
  }
  RequestLaunchTemplateData gpu_data() const {
    RequestLaunchTemplateData data;
    data.ImageId = "ami-0123456789abcdef0";
    data.InstanceType = "g4dn.xlarge";
    return data;
  }
  LaunchTemplateVersion add_version(const std::string& id, const std::string& type, const char* source = nullptr) {
    CreateLaunchTemplateVersionRequest request;
    request.LaunchTemplateId = id;
    request.LaunchTemplateData.InstanceType = type;
    if (source) request.SourceVersion = source;
    return *run<CreateLaunchTemplateVersionResult>("CreateLaunchTemplateVersion", request).LaunchTemplateVersion;
  }
  std::string launched_type(const std::string& name, const char* version) {
    RunInstancesRequest request;
    request.MinCount = request.MaxCount = 1;
    request.LaunchTemplate.emplace().LaunchTemplateName = name;
    if (version) request.LaunchTemplate->Version = version;
    return *launch(request).Instances->front().InstanceType;
  }
};

TEST_F(Templates, ALaunchUsesTheVersionThatItNames) {
  const std::string id = create("gpu", gpu_data());
  add_version(id, "g5.xlarge", "1");
  EXPECT_EQ(launched_type("gpu", nullptr), "g4dn.xlarge");
  EXPECT_EQ(launched_type("gpu", "$Latest"), "g5.xlarge");
  EXPECT_EQ(launched_type("gpu", "1"), "g4dn.xlarge");
  ModifyLaunchTemplateRequest change;
  change.LaunchTemplateName = "gpu";
  change.DefaultVersion = "2";
  run<ModifyLaunchTemplateResult>("ModifyLaunchTemplate", change);
  EXPECT_EQ(launched_type("gpu", "$Default"), "g5.xlarge");
  EXPECT_EQ(error_of([&] { launched_type("gpu", "7"); }),
            "InvalidLaunchTemplateId.VersionNotFound: Could not find the specified version 7 for the launch template with "
            "ID " + id + ".");
}

TEST_F(Templates, ARequestsSettingsComeBeforeTheTemplates) {
  EXPECT_EQ(merge_settings(R"({"ImageId":"ami-1","InstanceType":"a"})", R"({"InstanceType":"b"})"),
            R"({"ImageId":"ami-1","InstanceType":"b"})");
  EXPECT_EQ(merge_settings(R"({"TagSpecifications":[{"ResourceType":"instance","Tags":[{"Key":"a","Value":"1"}]}]})",
                           R"({"TagSpecifications":[{"ResourceType":"instance","Tags":[{"Key":"b","Value":"2"}]}]})"),
            R"({"TagSpecifications":[{"ResourceType":"instance","Tags":[{"Key":"a","Value":"1"},)"
            R"({"Key":"b","Value":"2"}]}]})");
}

TEST_F(Templates, ANameIsUsedOnce) {
  create("gpu", gpu_data());
  EXPECT_EQ(error_of([&] { create("gpu", gpu_data()); }),
            "InvalidLaunchTemplateName.AlreadyExistsException: Launch template name already in use.");
  caller_.region = "eu-west-1";
  create("gpu", gpu_data());
}

TEST_F(Templates, AMissingTemplateIsNamed) {
  EXPECT_EQ(error_of([&] { launched_type("no", nullptr); }),
            "InvalidLaunchTemplateName.NotFoundException: The specified launch template, with template name no, does not "
            "exist.");
  DeleteLaunchTemplateRequest request;
  request.LaunchTemplateId = "lt-0123456789abcdef0";
  EXPECT_EQ(error_of([&] { run<DeleteLaunchTemplateResult>("DeleteLaunchTemplate", request); }),
            "InvalidLaunchTemplateId.NotFound: The specified launch template, with template ID lt-0123456789abcdef0, does "
            "not exist.");
}

TEST_F(Templates, SettingsThatNoLaunchCouldHonourAreRejected) {
  RequestLaunchTemplateData data = gpu_data();
  data.InstanceMarketOptions.emplace();
  EXPECT_EQ(error_of([&] { create("spot", data); }),
            "UnsupportedOperation: Stoker does not support the parameter LaunchTemplateData.InstanceMarketOptions.");
  data = gpu_data();
  data.InstanceRequirements.emplace();
  EXPECT_EQ(error_of([&] { create("any", data); }),
            "UnsupportedOperation: Stoker does not support the parameter LaunchTemplateData.InstanceRequirements.");
}

TEST_F(Templates, AClientTokenMakesOneVersion) {
  CreateLaunchTemplateVersionRequest request;
  request.LaunchTemplateId = create("gpu", gpu_data());
  request.LaunchTemplateData.InstanceType = "g5.xlarge";
  request.ClientToken = "once";
  const auto make = [&] {
    return *run<CreateLaunchTemplateVersionResult>("CreateLaunchTemplateVersion", request)
                .LaunchTemplateVersion->VersionNumber;
  };
  EXPECT_EQ(make(), 2);
  EXPECT_EQ(make(), 2);
  request.LaunchTemplateData.InstanceType = "g6.xlarge";
  EXPECT_EQ(error_of(make).substr(0, 27), "IdempotentParameterMismatch");
}

TEST_F(Templates, TheLatestVersionMayBeDeletedAndItsNumberIsNotUsedAgain) {
  const std::string id = create("gpu", gpu_data());
  add_version(id, "g5.xlarge", "1");
  DeleteLaunchTemplateVersionsRequest request;
  request.LaunchTemplateId = id;
  request.Versions = {"2", "9"};
  const auto result = run<DeleteLaunchTemplateVersionsResult>("DeleteLaunchTemplateVersions", request);
  EXPECT_EQ(result.SuccessfullyDeletedLaunchTemplateVersions->size(), 1u);
  EXPECT_EQ(result.UnsuccessfullyDeletedLaunchTemplateVersions->front().ResponseError->Code,
            "launchTemplateVersionDoesNotExist");
  EXPECT_EQ(launched_type("gpu", "$Latest"), "g4dn.xlarge");
  EXPECT_EQ(*add_version(id, "g6.xlarge").VersionNumber, 3);
}

}  // namespace
}  // namespace services::ec2
