// SPDX-License-Identifier: Apache-2.0
// AWS Security Token Service: the identity of a caller, and temporary keys.
#pragma once

#include "services/module.h"
#include "services/options.h"

namespace services::sts {

Module module(const Options& options);

}  // namespace services::sts
