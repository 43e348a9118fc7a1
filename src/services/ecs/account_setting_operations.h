// SPDX-License-Identifier: Apache-2.0
// Operations on the settings of an account.
#pragma once

#include "services/call.h"
#include "shapes/ecs/account_setting.h"

namespace services::ecs {

using namespace shapes::ecs;

ListAccountSettingsResponse list_account_settings(Call& call, const ListAccountSettingsRequest& request);
PutAccountSettingResponse put_account_setting(Call& call, const PutAccountSettingRequest& request);
PutAccountSettingDefaultResponse put_account_setting_default(Call& call,
                                                             const PutAccountSettingDefaultRequest& request);
DeleteAccountSettingResponse delete_account_setting(Call& call, const DeleteAccountSettingRequest& request);

}  // namespace services::ecs
