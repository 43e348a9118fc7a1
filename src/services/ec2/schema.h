// SPDX-License-Identifier: Apache-2.0
// EC2's own tables. Instances are shared state (state/ec2_instance.h).
#pragma once

#include "store/store.h"

namespace services::ec2 {

store::Migrations migrations();

}  // namespace services::ec2
