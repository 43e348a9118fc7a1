// SPDX-License-Identifier: Apache-2.0
// AWS Security Token Service: who am I, and keys that end by themselves.
#pragma once

#include "services/operation.h"

namespace services::sts {

Service service();

}  // namespace services::sts
