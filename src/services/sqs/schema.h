// SPDX-License-Identifier: Apache-2.0
// SQS's tables.
#pragma once

#include "store/store.h"

namespace services::sqs {

store::Migrations migrations();

}  // namespace services::sqs
