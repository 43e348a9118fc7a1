// SPDX-License-Identifier: Apache-2.0
// What Amazon calls a public policy.
#pragma once

#include "services/policy_document.h"

namespace services::s3 {

// A policy that allows something to callers whom it names neither by account nor by a fixed value of an identifying
// condition.
bool is_public(const policy::Document& policy);

}  // namespace services::s3
