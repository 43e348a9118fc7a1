// SPDX-License-Identifier: Apache-2.0
// The identity of a caller, and temporary keys: sessions of an account, and of roles.
#pragma once

#include "services/module.h"
#include "shapes/sts/session.h"

namespace services::sts {

shapes::sts::GetCallerIdentityResponse get_caller_identity(Call& call,
                                                           const shapes::sts::GetCallerIdentityRequest& request);
shapes::sts::GetSessionTokenResponse get_session_token(Call& call, const shapes::sts::GetSessionTokenRequest& request);
shapes::sts::AssumeRoleResponse assume_role(Call& call, const shapes::sts::AssumeRoleRequest& request);

std::vector<Operation> session_operations();

}  // namespace services::sts
