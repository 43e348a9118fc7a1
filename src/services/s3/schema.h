// SPDX-License-Identifier: Apache-2.0
// S3's tables.
#pragma once

#include "store/store.h"

namespace services::s3 {

store::Migrations migrations();

}  // namespace services::s3
