// SPDX-License-Identifier: Apache-2.0
// Amazon EC2: instances, launch templates, and what they refer to.
#pragma once

#include "services/module.h"
#include "services/options.h"

namespace services::ec2 {

Module module(const Options& options);

}  // namespace services::ec2
