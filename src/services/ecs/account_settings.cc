// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/account_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/check.h"
#include "services/ecs/account_setting_operations.h"
#include "services/ecs/errors.h"
#include "services/ecs/operations.h"
#include "services/ecs/page.h"

namespace services::ecs {
namespace {

constexpr std::int32_t kMaxPage = 10;

struct KnownSetting {
  std::string_view name;
  std::vector<std::string_view> values;
  std::string_view value;         // the default
  std::string_view refused = {};  // a value of Amazon's that Stoker does not support
};

// By name, the order in which they are listed. The defaults are those of new accounts in Amazon's
// developer guide.
const std::vector<KnownSetting>& known_settings() {
  static const std::vector<KnownSetting> settings = {
      {"awsvpcTrunking", {"enabled", "disabled"}, "disabled"},
      {"containerInsights", {"enabled", "disabled", "enhanced"}, "disabled"},
      {"containerInstanceLongArnFormat", {"enabled", "disabled"}, "enabled", "disabled"},
      {"defaultLogDriverMode", {"blocking", "non-blocking"}, "non-blocking"},
      {"fargateEventWindows", {"enabled", "disabled"}, "disabled"},
      {"fargateFIPSMode", {"enabled", "disabled"}, "disabled"},
      {"fargateTaskRetirementWaitPeriod", {"0", "7", "14"}, "7"},
      {"guardDutyActivate", {}, "off"},
      {"serviceLongArnFormat", {"enabled", "disabled"}, "enabled", "disabled"},
      {"tagResourceAuthorization", {"on", "off"}, "on"},
      {"taskLongArnFormat", {"enabled", "disabled"}, "enabled", "disabled"},
  };
  return settings;
}

const KnownSetting& known_setting(std::string_view name) {
  const auto& all = known_settings();
  auto found = std::find_if(all.begin(), all.end(), [&](const KnownSetting& setting) { return setting.name == name; });
  CHECK(found != all.end()) << "the model has a setting that has no line here: " << name;
  return *found;
}

using Values = std::map<std::string, std::string, std::less<>>;

Values put_values(Call& call) {
  Values values;
  call.tx
      .query("SELECT name, value FROM ecs_account_settings WHERE account = $1 AND region = $2 AND principal = $3",
             call.caller.account, call.caller.region, call.caller.arn())
      .each([&](const store::Row& row) { values.emplace(row.str(0), row.str(1)); });
  return values;
}

Setting shown(const Caller& caller, const KnownSetting& setting, std::string_view value) {
  // Only Amazon sets GuardDuty's.
  const bool managed = setting.values.empty();
  return {.name = std::string(setting.name),
          .value = std::string(value),
          .principalArn = caller.arn(),
          .type = managed ? "aws_managed" : "user"};
}

// The root user is the only principal; its settings apply to the whole account.
void check_principal(const Caller& caller, const std::optional<std::string>& arn) {
  if (!arn || arn->empty() || *arn == caller.arn()) return;
  throw invalid_parameter("The principal " + *arn + " does not exist: there are no IAM users or roles here, only " +
                          caller.arn() + ".");
}

void check_value(const KnownSetting& setting, const std::string& value) {
  if (setting.values.empty()) {
    throw invalid_parameter(fmt::format("The setting {} is managed by AWS and can not be changed.", setting.name));
  }
  if (std::find(setting.values.begin(), setting.values.end(), value) == setting.values.end()) {
    // ECS's own words: "Invalid setting 'value'" and no more.
    throw invalid_parameter(fmt::format("Invalid setting 'value'. {} should be one of [{}].", setting.name,
                                        fmt::join(setting.values, ",")));
  }
  if (value == setting.refused) {
    throw invalid_parameter(fmt::format("The setting {} can not be disabled: all ARNs are long here.", setting.name));
  }
}

Setting put_setting(Call& call, const std::string& name, const std::string& value) {
  const KnownSetting& setting = known_setting(name);
  check_value(setting, value);
  call.tx.exec(
      "INSERT INTO ecs_account_settings (account, region, principal, name, value) VALUES ($1, $2, $3, $4, $5)"
      " ON CONFLICT (account, region, principal, name) DO UPDATE SET value = excluded.value",
      call.caller.account, call.caller.region, call.caller.arn(), name, value);
  return shown(call.caller, setting, value);
}

}  // namespace

std::string account_setting(Call& call, std::string_view name) {
  const Values values = put_values(call);
  auto found = values.find(name);
  return found == values.end() ? std::string(known_setting(name).value) : found->second;
}

ListAccountSettingsResponse list_account_settings(Call& call, const ListAccountSettingsRequest& request) {
  check_principal(call.caller, request.principalArn);
  if (request.value && !request.name) throw invalid_parameter("A value needs the name of its setting.");
  const Page page = page_of(request.maxResults, request.nextToken, kMaxPage);
  const Values values = put_values(call);
  std::vector<std::string> names;
  for (const KnownSetting& setting : known_settings()) {
    auto put = values.find(setting.name);
    if (put == values.end() && !request.effectiveSettings.value_or(false)) continue;
    const std::string_view value = put == values.end() ? setting.value : std::string_view(put->second);
    if (request.name && *request.name != setting.name) continue;
    if (request.value && *request.value != value) continue;
    if (setting.name > page.after) names.emplace_back(setting.name);
  }
  ListAccountSettingsResponse response;
  response.nextToken = cut_page(names, page);
  response.settings.emplace();
  for (const std::string& name : names) {
    const KnownSetting& setting = known_setting(name);
    auto put = values.find(name);
    response.settings->push_back(shown(call.caller, setting, put == values.end() ? setting.value : put->second));
  }
  return response;
}

PutAccountSettingResponse put_account_setting(Call& call, const PutAccountSettingRequest& request) {
  check_principal(call.caller, request.principalArn);
  return {.setting = put_setting(call, request.name, request.value)};
}

PutAccountSettingDefaultResponse put_account_setting_default(Call& call,
                                                             const PutAccountSettingDefaultRequest& request) {
  return {.setting = put_setting(call, request.name, request.value)};
}

DeleteAccountSettingResponse delete_account_setting(Call& call, const DeleteAccountSettingRequest& request) {
  check_principal(call.caller, request.principalArn);
  const KnownSetting& setting = known_setting(request.name);
  call.tx.exec("DELETE FROM ecs_account_settings WHERE account = $1 AND region = $2 AND principal = $3 AND name = $4",
               call.caller.account, call.caller.region, call.caller.arn(), request.name);
  return {.setting = shown(call.caller, setting, setting.value)};
}

std::vector<Operation> account_setting_operations() {
  return {
      operation<&delete_account_setting>("DeleteAccountSetting", Access::Write),
      operation<&list_account_settings>("ListAccountSettings", Access::Read),
      operation<&put_account_setting>("PutAccountSetting", Access::Write),
      operation<&put_account_setting_default>("PutAccountSettingDefault", Access::Write),
  };
}

}  // namespace services::ecs
