// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/ecs_fixture.h"

namespace services::ecs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class AccountSettings : public EcsTest {
 protected:
  std::vector<std::string> listed(std::string_view json) {
    std::vector<std::string> out;
    const auto answer = run_json(&list_account_settings, json);
    for (const Setting& setting : *answer.settings) {
      out.push_back(*setting.name + "=" + *setting.value);
    }
    return out;
  }
};

TEST_F(AccountSettings, OnlySettingsThatWerePutAreListedUnlessEffectiveOnesAreRequested) {
  EXPECT_TRUE(listed("{}").empty());
  auto put = run_json(&put_account_setting, R"({"name":"awsvpcTrunking","value":"enabled"})").setting;
  EXPECT_EQ(
      to_json(*put),
      R"({"name":"awsvpcTrunking","value":"enabled","principalArn":"arn:aws:iam::111111111111:root","type":"user"})");
  EXPECT_THAT(listed("{}"), ElementsAre("awsvpcTrunking=enabled"));
  auto all = run_json(&list_account_settings, R"({"effectiveSettings":true})");
  EXPECT_EQ(all.settings->size(), 10u);
  auto rest = run(&list_account_settings, {.effectiveSettings = true, .nextToken = all.nextToken});
  EXPECT_EQ(rest.settings->size(), 1u);
  EXPECT_EQ(rest.settings->at(0).name, "taskLongArnFormat");
  EXPECT_FALSE(rest.nextToken);
  EXPECT_THAT(listed(R"({"effectiveSettings":true,"name":"containerInsights"})"),
              ElementsAre("containerInsights=disabled"));
  EXPECT_TRUE(listed(R"({"name":"awsvpcTrunking","value":"disabled"})").empty());
}

TEST_F(AccountSettings, ADeletedSettingHasItsDefaultAgain) {
  run_json(&put_account_setting_default, R"({"name":"fargateTaskRetirementWaitPeriod","value":"14"})");
  EXPECT_THAT(listed("{}"), ElementsAre("fargateTaskRetirementWaitPeriod=14"));
  auto gone = run_json(&delete_account_setting, R"({"name":"fargateTaskRetirementWaitPeriod"})").setting;
  EXPECT_EQ(gone->value, "7");
  EXPECT_TRUE(listed("{}").empty());
}

TEST_F(AccountSettings, ArnsAreLongAndValuesAreChecked) {
  EXPECT_EQ(error_of(&put_account_setting, R"({"name":"taskLongArnFormat","value":"enabled"})"), "");
  EXPECT_THAT(error_of(&put_account_setting, R"({"name":"taskLongArnFormat","value":"disabled"})"),
              HasSubstr("all ARNs are long here"));
  EXPECT_THAT(error_of(&put_account_setting, R"({"name":"containerInsights","value":"on"})"),
              HasSubstr("InvalidParameterException: Invalid setting 'value'"));
  EXPECT_THAT(error_of(&put_account_setting, R"({"name":"guardDutyActivate","value":"on"})"), HasSubstr("managed"));
  EXPECT_THAT(error_of(&put_account_setting,
                       R"({"name":"containerInsights","value":"enabled","principalArn":"arn:aws:iam::1:user/u"})"),
              HasSubstr("there are no IAM users"));
}

TEST_F(AccountSettings, EachRegionHasItsOwnSettings) {
  run_json(&put_account_setting, R"({"name":"containerInsights","value":"enabled"})");
  caller_.region = "eu-west-1";
  EXPECT_TRUE(listed("{}").empty());
}

}  // namespace
}  // namespace services::ecs
