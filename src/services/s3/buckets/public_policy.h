// SPDX-License-Identifier: Apache-2.0
// What Amazon calls a public policy.
#pragma once

#include "services/policy_document.h"

namespace services::s3 {

// One that allows something to people whom it does not name: not by their account, and not by a
// fixed value of a condition that only some can have.
bool is_public(const policy::Document& policy);

}  // namespace services::s3
